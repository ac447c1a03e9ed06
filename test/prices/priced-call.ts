import type { Person } from '../harness/index.js';

/** The variable parts of a request. */
export interface Asked {
  params?: Record<string, string>;
  query?: string;
  body?: object;
  /** Sent unchanged, in place of `body`. */
  raw?: string;
  headers?: Record<string, string>;
}

/** A way to call an operation. */
export interface PricedCall {
  /** What is dear about it. */
  what?: string;
  /** Default: the owner. `leaving`: another session of the owner. `restricted`: an API key with all scopes and 50 job types. */
  as?: 'restricted' | 'leaving' | 'anonymous';
  /** Default: the status of the first response of the endpoint. */
  status?: number;
  /** SQL that is run before each call, with `$org` and `$n`. It is not measured. */
  before?: string;
  /** How often it can be called; then it is repeated only if it is dear. Default: any number of times. */
  times?: number;
  /** It deletes what others need. */
  isLast?: true;
  /**
   * It may cost more, because it takes turns with the other expensive requests of its organization. `page`: by the size of its page.
   * `body`: by that of its body, of which four of an organization are parsed in turns (apps/api/src/budgets/body-budget.ts).
   */
  takesTurns?: 'always' | 'page' | 'body';
  /** `n`: how often it was called before. */
  ask(n: number, owner: Person): Asked;
}

/** What several calls have. */
export const params = (id: string) => ({ params: { id } });
export const text = (bytes: number) => 'x'.repeat(bytes);
/** SQL that deletes the newest row of a table, so that another one is within the quota. */
export const last = (table: string) =>
  `DELETE FROM ${table} WHERE org_id = $org AND id = (SELECT id FROM ${table} WHERE org_id = $org ORDER BY created_at DESC LIMIT 1)`;
/** SQL that puts back what earlier calls deleted of a table. */
export const restored = (table: string) =>
  `CREATE TABLE IF NOT EXISTS kept_${table} AS SELECT * FROM ${table};
    INSERT INTO ${table} SELECT * FROM kept_${table} ON CONFLICT DO NOTHING;`;
