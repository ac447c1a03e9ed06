import { setTimeout } from 'node:timers/promises';
import { type Db, listPublishedTypes, runAs } from '@jobline/db';
import { type Catalogue, DEFAULT_QUEUE, QUEUE_PATTERN } from '@jobline/handlers';
import { elapsedMs } from '@jobline/runtime';
import type { EngineEvents } from '../reporting/events.js';

export type Routes = ReturnType<typeof createRoutes>;

export function createRoutes({ catalogue, published }: { catalogue: Catalogue; published: PublishedTypes }) {
  return {
    /** Whether a worker is known to have, or to have had, a handler for the type. */
    isKnown: (type: string): boolean => catalogue.has(type) || published.queueOf(type) !== undefined,
    /**
     * The queue for jobs of a type: as this process knows it, else as live workers have published it, else the default
     * queue. A known type needs no query.
     */
    async queueFor(type: string): Promise<string> {
      const own = catalogue.get(type);
      if (own) return own.queue;
      await published.learn(type);
      return published.queueOf(type) ?? DEFAULT_QUEUE;
    },
    /** The `max_retries` of a submission that names none, as far as `queueFor` has learned it. */
    maxRetriesOf(type: string): number {
      const own = catalogue.get(type);
      return (own ? own.maxRetries : published.maxRetriesOf(type)) ?? 0;
    },
  };
}

/**
 * What workers have published about the job types that this process does not know itself. All questions share one query: at most one
 * per second, which delays only unknown types, and one in 100 ms for payloads that seem to be wrong.
 */
export type PublishedTypes = ReturnType<typeof createPublishedTypes>;

export interface PublishedSchema {
  /** Equal for equal schemas. */
  hash: string;
  /** JSON text. */
  schema: string;
}

const FRESH_FOR_MS = 1_000;
const RENEWED_EVERY_MS = 100;

/** `leaseMs`: a worker is alive if it has sent a heartbeat in this time. */
export function createPublishedTypes(deps: { db: Db; events: EngineEvents; leaseMs: number }) {
  const { db, events, leaseMs } = deps;
  let queues: ReadonlyMap<string, string> = new Map();
  let maxRetries: ReadonlyMap<string, number | null> = new Map();
  let hashes: ReadonlyMap<string, readonly (string | null)[]> = new Map();
  let schemas: ReadonlyMap<string, PublishedSchema> = new Map();
  let loadedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | null = null;
  let renewal: Promise<void> | null = null;

  function refresh(): Promise<void> {
    // All organizations share it.
    loading ??= runAs(null, load).finally(() => {
      loading = null;
    });
    return loading;
  }

  /** Without an answer, what is known stays valid. */
  async function load(): Promise<void> {
    loadedAt = performance.now();
    try {
      const found = await listPublishedTypes(db, { leaseMs, known: [...schemas.keys()] });
      const usable = found.types.filter(({ queue }) => QUEUE_PATTERN.test(queue));
      queues = new Map([...queues, ...usable.map(({ type, queue }): [string, string] => [type, queue])]);
      maxRetries = new Map([
        ...maxRetries,
        ...found.types.map((one): [string, number | null] => [one.type, one.maxRetries]),
      ]);
      hashes = new Map(found.types.map(({ type, schemaHashes }) => [type, schemaHashes]));
      const used = new Set([...hashes.values()].flat());
      schemas = new Map(
        [...schemas.values(), ...found.schemas].filter(({ hash }) => used.has(hash)).map((one) => [one.hash, one]),
      );
    } catch (error) {
      events.emit('step.failed', { step: 'routes', error });
    }
  }

  async function loadNext(): Promise<void> {
    await setTimeout(Math.max(0, RENEWED_EVERY_MS - elapsedMs(loadedAt)));
    while (loading) await loading;
    // Who asks from here on waits for the next one.
    renewal = null;
    await refresh();
  }

  const mayLearn = (type: string) => !queues.has(type) && (loading !== null || elapsedMs(loadedAt) > FRESH_FOR_MS);

  return {
    /** The queue of a type. A type stays known while its workers restart. Undefined: it is unknown. */
    queueOf: (type: string): string | undefined => queues.get(type),
    maxRetriesOf: (type: string): number | null | undefined => maxRetries.get(type),
    /**
     * The JSON Schemas of the payloads of a type that its live workers have published, the latest first. Empty if a payload
     * need not match any: one of the workers has published none, no worker of the type is alive, or none is known.
     */
    schemasOf(type: string): readonly PublishedSchema[] {
      const found: PublishedSchema[] = [];
      for (const hash of hashes.get(type) ?? []) {
        const schema = hash === null ? undefined : schemas.get(hash);
        if (!schema) return [];
        found.push(schema);
      }
      return found;
    },
    /** Whether an unknown type may have become known, so that `learn` would wait for a query. */
    mayLearn,
    /** Resolves when the type is known, or when a query of the last second has not found it. Never rejects. */
    async learn(type: string): Promise<void> {
      if (mayLearn(type)) await refresh();
      else if (elapsedMs(loadedAt) > FRESH_FOR_MS) void refresh();
    },
    /** Resolves when everything was read after a time of `performance.now()`, unless Postgres did not answer. Never rejects. */
    async renew(since: number): Promise<void> {
      if (loadedAt > since) return loading ?? undefined;
      renewal ??= loadNext();
      await renewal;
    },
  };
}
