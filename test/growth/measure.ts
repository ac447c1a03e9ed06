import pg from 'pg';

/** What an operation costs in Postgres. */
export interface Cost {
  /** Pages of tables and indexes that it reads, from memory or disk. */
  pages: number;
  /** The time of its statements. */
  sqlMs: number;
}

export interface Meter {
  /** The median of several calls. What `prepare` does before each is not measured. */
  measure<T>(operation: Operation<T>): Promise<Cost>;
  end(): Promise<void>;
}

export interface Operation<T = unknown> {
  what: string;
  /** How many pages more than a multiple of the first size are allowed, and why. */
  allowance: number;
  /** Its cost depends on the number of jobs: it is shown, and has no limit. */
  isUnlimited?: boolean;
  /** Its statements must not take longer, in ms, for any number of jobs. */
  maxMs?: number;
  prepare?(): Promise<T>;
  run(prepared: T): Promise<unknown>;
}

const TIMES = 5;

/** Measures what a database does, through another database of the same server, so that the measurement is not counted. */
export async function createMeter(adminUrl: string, database: string): Promise<Meter> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');

  async function costOf(run: () => Promise<unknown>): Promise<Cost> {
    await admin.query('SELECT pg_stat_statements_reset()');
    await run();
    const { rows } = await admin.query<{ pages: string; ms: number }>(
      `SELECT coalesce(sum(shared_blks_hit + shared_blks_read), 0) AS pages, coalesce(sum(total_exec_time), 0) AS ms
       FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = $1)`,
      [database],
    );
    return { pages: Number(rows[0]?.pages), sqlMs: Number(rows[0]?.ms) };
  }

  return {
    async measure<T>({ prepare, run }: Operation<T>) {
      const costs: Cost[] = [];
      // The first one reads what the connections do not know yet.
      for (let n = 0; n <= TIMES; n++) {
        // The cast: an operation without a preparation takes nothing.
        const prepared = prepare ? await prepare() : (undefined as T);
        const cost = await costOf(() => run(prepared));
        if (n > 0) costs.push(cost);
      }
      return { pages: median(costs.map(({ pages }) => pages)), sqlMs: median(costs.map(({ sqlMs }) => sqlMs)) };
    },
    end: () => admin.end(),
  };
}

function median(numbers: number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
