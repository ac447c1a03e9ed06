/** The limits of a submission, as documented for callers. */
export const LIMITS = {
  /** Length of a job type and of a caller-chosen id, in characters. */
  nameLength: 128,
  maxRetries: 100,
  maxPriority: 9,
  /** Levels of nesting in a payload, the payload itself included. */
  payloadDepth: 64,
  /** Jobs in one batch. */
  batchSize: 1000,
  /** Tags of one job, and tags in one filter. */
  tags: 10,
  tagsInFilter: 5,
  /** How far `run_at` may be in the future. */
  runAtAheadMs: 366 * 24 * 3_600_000,
  /** The bounds of a limit. */
  flow: { types: 50, concurrency: 10_000, leastPerSecond: 0.01, perSecond: 10_000, burst: 10_000 },
  schedules: {
    cronLength: 256,
    leastSeconds: 5,
    mostSeconds: 365 * 24 * 3_600,
    /** The payloads of all schedules of an organization together, as JSON. */
    payloadBytes: 16 * 1024 ** 2,
    previewTimes: 20,
    /** A planned time that is further in the past than this is missed. */
    missedAfterMs: 60_000,
    /** How many missed times `run_all` makes up for. */
    missedRuns: 100,
  },
  /** Log lines kept of one attempt; one more line then says that the rest was dropped. */
  logLinesPerAttempt: 1000,
  logLineBytes: 8192,
} as const;

/** Pattern of a job type and of a caller-chosen id. */
export const NAME_PATTERN = /^[A-Za-z0-9._:-]{1,128}$/;

/** Pattern of a tag of a job. */
export const TAG_PATTERN = /^[A-Za-z0-9._:@/+=-]{1,64}$/;

/** Pattern of the name of a limit. */
export const LIMIT_NAME_PATTERN = /^[A-Za-z0-9._:-]{1,64}$/;

/** Pattern of the `key` of a job: no control characters, and no broken surrogates, which the database could not store. */
export const LIMIT_KEY_PATTERN = /^[^\p{Cc}\p{Cs}]{1,200}$/u;

/** Ids that would be mistaken for a path under /jobs. */
export const RESERVED_IDS: readonly string[] = ['.', '..', 'batch', 'bulk', 'events'];
