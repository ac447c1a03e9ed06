import { type Db, listRoutes } from '@jobline/db';
import { type Catalogue, DEFAULT_QUEUE, QUEUES } from '@jobline/handlers';
import { elapsedMs } from '@jobline/runtime';
import type { EngineEvents } from './events.js';

/**
 * Returns the queue for jobs of a type: as this process knows it, else as live workers have published it, else the
 * default queue. A known type needs no query; all unknown types share one query per second.
 */
export type Routes = (type: string) => Promise<string>;

const FRESH_FOR_MS = 5_000;
const MISS_FRESH_FOR_MS = 1_000;

export function createRoutes(deps: { db: Db; catalogue: Catalogue; events: EngineEvents }): Routes {
  let published: ReadonlyMap<string, string> = new Map();
  let loadedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | null = null;

  function refresh(): Promise<void> {
    loading ??= load().finally(() => {
      loading = null;
    });
    return loading;
  }

  /** Never rejects: without an answer the known routes stay valid. A type stays known while its workers restart. */
  async function load(): Promise<void> {
    loadedAt = performance.now();
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
    if (known === undefined && (loading || elapsedMs(loadedAt) > MISS_FRESH_FOR_MS)) await refresh();
    else if (elapsedMs(loadedAt) > FRESH_FOR_MS) void refresh();
    return published.get(type) ?? DEFAULT_QUEUE;
  };
}
