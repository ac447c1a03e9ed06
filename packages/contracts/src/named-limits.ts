/** To what the bounds of a limit apply: to all of its jobs together, or to the jobs of each key. */
export const LIMIT_SCOPES = ['organization', 'key'] as const;
export type LimitScope = (typeof LIMIT_SCOPES)[number];

/** A bound on how an organization's jobs start. */
export interface LimitView {
  name: string;
  /** The job types that it applies to, in addition to the jobs that name it. */
  types: string[];
  concurrency: number | null;
  per_second: number | null;
  /** How many jobs may start at once after a pause; null without `per_second`. */
  burst: number | null;
  per: LimitScope;
  ordered: boolean;
  paused: boolean;
  /** Running jobs under it. */
  running: number;
  /** Pending jobs under it that are due, counted up to 100,000. */
  waiting: number;
}

/** A key whose jobs wait for a limit. */
export interface LimitKeyView {
  /** Null: the jobs without a key. */
  key: string | null;
  /** When its longest-waiting job became due. */
  waiting_since: string;
}
