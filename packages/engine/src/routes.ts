import { type Db, listRoutes } from '@jobline/db';
import { type Catalogue, DEFAULT_QUEUE, QUEUES } from '@jobline/handlers';
import { elapsedMs } from '@jobline/runtime';
import type { EngineEvents } from './events.js';

/**
 * The queue that jobs of a type go to: as this process knows it, else as live workers have published it, else the
 * default. A type that is known costs no query; those that are not share one a second.
 */
export type Routes = (type: string) => Promise<string>;

const FRESH_FOR_MS = 5_000;
const MISS_FRESH_FOR_MS = 1_000;

export function createRoutes(deps: { db: Db; catalogue: Catalogue; events: EngineEvents }): Routes {
  let published: ReadonlyMap<string, string> = new Map();
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | null = null;

  function refresh(): Promise<void> {
    asking ??= ask().finally(() => {
      asking = null;
    });
    return asking;
  }

  /** Never rejects: without an answer, what was known holds. A type stays known while its workers restart. */
  async function ask(): Promise<void> {
    askedAt = performance.now();
    try {
      const routes = await listRoutes(deps.db);
      const usable = [...routes].filter(([, queue]) => QUEUES.some((known) => known === queue));
      published = new Map([...published, ...usable]);
    } catch (error) {
      deps.events.emit('step.failed', { step: 'routes', error });
    }
  }

  return async (type) => {
    const own = deps.catalogue.get(type);
    if (own) return own.queue;
    const known = published.get(type);
    if (known === undefined && (asking || elapsedMs(askedAt) > MISS_FRESH_FOR_MS)) await refresh();
    else if (elapsedMs(askedAt) > FRESH_FOR_MS) void refresh();
    return published.get(type) ?? DEFAULT_QUEUE;
  };
}
