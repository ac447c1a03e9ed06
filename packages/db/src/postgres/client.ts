import { PrismaPg } from '@prisma/adapter-pg';
import pg, { type PoolConfig } from 'pg';
import { PrismaClient } from '../generated/client.js';

/** The one client of a process, made and closed by its main.ts. */
export type Db = PrismaClient;
/** A client, or a transaction of one. */
export type DbSession = Omit<PrismaClient, '$connect' | '$disconnect' | '$on' | '$transaction' | '$extends'>;

export interface DbOptions {
  url: string;
  /** Connections at most. */
  poolSize: number;
  /** Told of a pooled connection that broke while idle. The pool replaces it by itself. */
  onIdleError(error: Error): void;
  /** How long a statement may wait for a connection before it fails. */
  connectTimeoutMs?: number;
  /** Statements that run longer are ended by the server. */
  statementTimeoutMs?: number;
  /** Given a way to look at the pool's connections. */
  watchPool?(look: () => PoolFigures): void;
}

/** A pool's connections, and who waits for one. */
export interface PoolFigures {
  size: number;
  inUse: number;
  waiting: number;
  max: number;
}

/**
 * UTC, because the adapter drops the offset of a timestamptz. The costs of an SSD and no compilation of plans, because
 * the statements of the hot path touch few rows of a large table by key, and the planner's defaults would read it all.
 */
const SESSION = '-c TimeZone=UTC -c random_page_cost=1.1 -c jit=off';

/** How to reach Postgres, for the driver's pool. `session` is set on each connection beside what all have. */
export function poolOptions(options: DbOptions, session = ''): PoolConfig {
  const { url, poolSize, connectTimeoutMs = 5_000, statementTimeoutMs = 30_000 } = options;
  return {
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    // Without a space at the end, which PgBouncer does not read.
    options: `${SESSION} -c statement_timeout=${statementTimeoutMs} ${session}`.trimEnd(),
    // The server's own limit comes first; this one is for a server that no longer answers at all.
    query_timeout: statementTimeoutMs + 5_000,
    keepAlive: true,
  };
}

/** Opens nothing yet: the first statement does, so a process starts without Postgres and says so when asked. */
export function createDb(options: DbOptions): Db {
  const pool = new pg.Pool(poolOptions(options));
  options.watchPool?.(() => poolFigures(pool));
  const adapter = new PrismaPg(pool, { onPoolError: options.onIdleError, disposeExternalPool: true });
  return new PrismaClient({ adapter });
}

export function poolFigures({ totalCount, idleCount, waitingCount, options }: pg.Pool): PoolFigures {
  return { size: totalCount, inUse: totalCount - idleCount, waiting: waitingCount, max: options.max };
}
