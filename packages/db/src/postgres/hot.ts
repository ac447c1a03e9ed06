import pg from 'pg';
import { type DbOptions, poolFigures, poolOptions } from './client.js';

/**
 * The few statements that every job goes through, each prepared once per connection. What they ask for never changes,
 * only how much of it, so they skip what Prisma does for every statement anew: its text is sent, parsed and planned
 * each time, and its rows pass through Prisma's own types (half of a lone claim's time, a fifth of a busy worker's).
 */
export interface HotDb {
  /** Runs a statement with its values as parameters. Answers with its rows as the driver reads them. */
  query<Row>(statement: TemplateStringsArray, ...values: readonly unknown[]): Promise<Row[]>;
  /** Resolves when what runs has ended and every connection is closed. */
  close(): Promise<void>;
}

/**
 * A plan is made once, possibly for a table that is still empty, and must be right for a large one too: rows are looked
 * up one by one through an index, always. So every row that a plan reads is made to seem dear, and statements are
 * written so that no index but the right one fits (OFFSET 0 keeps a lookup from being joined in another way).
 */
export const HOT_SESSION =
  '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off -c enable_memoize=off -c cpu_tuple_cost=1';

/** Opens nothing yet: the first statement does. */
export function createHotDb(options: DbOptions): HotDb {
  // Connections are kept while idle: a new one costs a lone job more than all of its statements do.
  const pool = new pg.Pool({ ...poolOptions(options, HOT_SESSION), idleTimeoutMillis: 0 });
  pool.on('error', options.onIdleError);
  options.watchPool?.(() => poolFigures(pool));
  const prepared = new Map<TemplateStringsArray, { name: string; text: string }>();

  /** One for each place in our code that has a statement. */
  function prepare(statement: TemplateStringsArray): { name: string; text: string } {
    const name = `hot_${prepared.size + 1}`;
    const made = { name, text: statement.reduce((text, part, i) => `${text}$${i}${part}`) };
    prepared.set(statement, made);
    return made;
  }

  return {
    async query<Row>(statement: TemplateStringsArray, ...values: readonly unknown[]) {
      const { name, text } = prepared.get(statement) ?? prepare(statement);
      const { rows } = await pool.query({ name, text, values: [...values] });
      return rows as Row[]; // the statement's own promise
    },
    close: () => pool.end(),
  };
}
