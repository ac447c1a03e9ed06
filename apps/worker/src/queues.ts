import { type Catalogue, createCatalogue, deliverEvent, EVENTS_QUEUE, QUEUE_PATTERN } from '@jobline/handlers';
import { ConfigError } from '@jobline/runtime';

type Queues = ReadonlyMap<string, number>;

/** The highest number of queues of a worker. Each costs a connection to Redis. */
export const MAX_QUEUES = 32;
/** The concurrency of deliveries unless WORKER_QUEUES names it. */
const EVENTS_CONCURRENCY = 200;
/** The concurrency of a queue that only own handlers name. */
const OWN_CONCURRENCY = 2;

/** A name of a job type, or the beginning of one with a star. */
const TYPE_PATTERN = /^[A-Za-z0-9._:-]{0,128}\*?$/;

/** What a worker takes without WORKER_QUEUES, in addition to the queues of its own handlers. */
export const DEFAULT_QUEUES: Queues = new Map([
  ['io', 200],
  ['cpu', 2],
  ['browser', 2],
  [EVENTS_QUEUE, EVENTS_CONCURRENCY],
]);

/** Parses `io:200,reports:2` into queues and their concurrency. Unless it names `events`, this has its default. */
export function parseQueues(text: string): Queues {
  const queues = new Map([[EVENTS_QUEUE, EVENTS_CONCURRENCY]]);
  const named = new Set<string>();
  for (const part of text.split(',').map((given) => given.trim())) {
    const [, name = '', digits] = /^([^:]*):(\d{1,4})$/.exec(part) ?? [];
    const concurrency = Number(digits);
    if (!QUEUE_PATTERN.test(name) || named.has(name) || (concurrency === 0 && name !== EVENTS_QUEUE))
      throw new Error(
        `contains "${part}": write queue:concurrency, such as io:20,reports:2, with each queue at most once. A queue is 1 to 32 ` +
          'lower-case letters, digits and hyphens, a concurrency is 1 to 9999, and events:0 leaves out deliveries',
      );
    named.add(name);
    queues.set(name, concurrency);
  }
  if (queues.get(EVENTS_QUEUE) === 0) queues.delete(EVENTS_QUEUE);
  if (queues.size === 0 || queues.size > MAX_QUEUES) throw new Error(`must name 1 to ${MAX_QUEUES} queues`);
  return queues;
}

/** The queues that a worker takes. Throws a ConfigError if its settings and handlers name too many. */
export function queuesOf(
  settings: { WORKER_QUEUES: Queues; WORKER_TYPES: readonly string[] },
  catalogue: Catalogue,
): Queues {
  const { WORKER_QUEUES: named, WORKER_TYPES: patterns } = settings;
  const builtIn = createCatalogue();
  const own = [...catalogue.values()].filter(({ type }) => !builtIn.has(type) && takesType(patterns, type));
  const all = new Map([...own.map(({ queue }) => [queue, OWN_CONCURRENCY] as const), ...named]);
  if (all.size > MAX_QUEUES) {
    throw new ConfigError([
      `HANDLERS_DIR: the handlers and WORKER_QUEUES name ${all.size} queues together; the limit is ${MAX_QUEUES}`,
    ]);
  }
  return named === DEFAULT_QUEUES ? all : named;
}

/** Parses `greet,reports.*` into names of types, and beginnings of names with a star at their end. */
export function parseTypes(text: string): readonly string[] {
  const patterns = text.split(',').map((part) => part.trim());
  const invalid = patterns.find((pattern) => pattern === '' || !TYPE_PATTERN.test(pattern));
  if (invalid === undefined) return patterns;
  throw new Error(
    `contains "${invalid}": write the names of job types, or beginnings of names with a star, such as greet,reports.*`,
  );
}

/** Whether a worker takes jobs of a type, by WORKER_TYPES; empty: it takes all types. Deliveries of events are no job type. */
export function takesType(patterns: readonly string[], type: string): boolean {
  return patterns.length === 0 || type === deliverEvent.type || patterns.some((pattern) => isMatch(pattern, type));
}

/** The parts of WORKER_TYPES that name none of the handlers of a worker. */
export function unmatchedTypes(patterns: readonly string[], catalogue: Catalogue): string[] {
  return patterns.filter((pattern) => ![...catalogue.keys()].some((type) => isMatch(pattern, type)));
}

/** The queues that WORKER_QUEUES names although no handler of the worker is in them. */
export function unusedQueues(
  settings: { WORKER_QUEUES: Queues; WORKER_TYPES: readonly string[] },
  catalogue: Catalogue,
): string[] {
  const { WORKER_QUEUES: named, WORKER_TYPES: patterns } = settings;
  if (named === DEFAULT_QUEUES) return [];
  const taken = [...catalogue.values()].filter(({ type }) => takesType(patterns, type));
  const used = new Set([EVENTS_QUEUE, ...taken.map(({ queue }) => queue)]);
  return [...named.keys()].filter((queue) => !used.has(queue));
}

function isMatch(pattern: string, type: string): boolean {
  return pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}
