import pg from 'pg';
import { Prisma } from '../generated/client.js';
import { type DbOptions, poolOptions, poolStats } from './client.js';

/**
 * Runs the few statements that every job needs, each prepared once per connection. Their text never changes, only their
 * values, so they skip what Prisma repeats for every statement: its text is sent, parsed and planned each time, and its
 * rows pass through Prisma's own types (half of a single claim's time, a fifth of a busy worker's).
 */
export interface HotDb {
  /**
   * Runs a statement with its values as parameters. Returns its rows as the driver reads them. A value that is a Prisma.Sql is a
   * part of the statement: its text must be the same each time, or it is `Prisma.empty`, where nothing needs the part.
   */
  query<Row>(statement: TemplateStringsArray, ...values: readonly unknown[]): Promise<Row[]>;
  /** Resolves when all running statements have ended and every connection is closed. */
  close(): Promise<void>;
}

/**
 * A plan is made once, possibly for a table that is still empty, and must also be right for a large one: rows must
 * always be looked up one by one through an index. So every row that a plan reads has a high cost here, and statements
 * are written so that only the right index fits: OFFSET 0 keeps a lookup from being joined in another way, and rows to
 * change are named by `key = ANY (…)`. Without that, a table that was empty when it was analyzed would be read as a
 * whole. Sets are joined by hashing: a nested loop over two of them takes the product of their sizes.
 */
export const HOT_SESSION =
  '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off -c enable_memoize=off -c enable_nestloop=off -c cpu_tuple_cost=1';

/**
 * Opens no connection before the first statement. Its connections have no shares of organizations: the statements are for many
 * organizations, which take turns in the batches, or for the service.
 */
export function createHotDb(options: DbOptions): HotDb {
  // Connections are kept while idle. For a single job, opening one takes longer than all statements of the job.
  const pool = new pg.Pool({ ...poolOptions(options, HOT_SESSION), idleTimeoutMillis: 0 });
  pool.on('error', options.onIdleError);
  options.watchPool?.(() => poolStats(pool));
  const prepared = new Map<TemplateStringsArray, Map<string, { name: string; text: string }>>();
  let count = 0;

  /** One prepared statement for each place in our code that has a statement, and for each choice of its empty parts. */
  function prepare(statement: TemplateStringsArray, values: readonly unknown[]): { name: string; text: string } {
    const empty = values.flatMap((value, i) => (value === Prisma.empty ? [i] : [])).join();
    const known = prepared.get(statement)?.get(empty);
    if (known) return known;
    const made = { name: `hot_${++count}`, text: Prisma.sql(statement, ...values).text };
    prepared.set(statement, new Map([...(prepared.get(statement) ?? []), [empty, made]]));
    return made;
  }

  return {
    async query<Row>(statement: TemplateStringsArray, ...values: readonly unknown[]) {
      const { name, text } = prepare(statement, values);
      const parameters = values.flatMap((value) => (value instanceof Prisma.Sql ? value.values : [value]));
      const { rows } = await pool.query({ name, text, values: parameters });
      return rows as Row[]; // the promise of the statement itself
    },
    close: () => pool.end(),
  };
}
