/** The limits of a submission, as the contract with callers has them. */
export const LIMITS = {
  /** Characters of a job type and of a caller-chosen id. */
  nameLength: 128,
  maxRetries: 100,
  maxPriority: 9,
  /** Levels of nesting in a payload, the payload itself included. */
  payloadDepth: 64,
  /** Jobs in one batch. */
  batchSize: 1000,
  /** How far ahead `run_at` may be. */
  runAtAheadMs: 366 * 24 * 3_600_000,
  /** Log lines kept of one attempt; then one more says that the rest was cut. */
  logLinesPerAttempt: 1000,
  logLineBytes: 8192,
} as const;

/** What a job type and a caller-chosen id are made of. */
export const NAME_PATTERN = /^[A-Za-z0-9._:-]{1,128}$/;

/** Ids that would be mistaken for a path under /jobs. */
export const RESERVED_IDS: readonly string[] = ['.', '..', 'batch', 'events'];
