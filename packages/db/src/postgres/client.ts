import { PrismaPg } from '@prisma/adapter-pg';
import type { ClientBase, Pool } from 'pg';
import { type Prisma, PrismaClient } from '../generated/client.js';
import { type PoolSettings, runInTransaction, SharedPool } from './shares.js';

/** The only client of a process, created and closed by its main.ts. */
export type Db = Omit<PrismaClient, '$transaction'> & { $transaction: Transact };
/** A client, or a transaction of one. */
export type DbSession = Omit<PrismaClient, '$connect' | '$disconnect' | '$on' | '$transaction' | '$extends'>;

/** The form of `$transaction` that takes a list of queries is left out. */
type Transact = <T>(
  work: (tx: DbSession) => Promise<T>,
  limits?: { maxWait?: number; timeout?: number; isolationLevel?: Prisma.TransactionIsolationLevel },
) => Promise<T>;

export interface DbOptions {
  url: string;
  /** The highest number of connections. */
  poolSize: number;
  /** Called when a pooled connection breaks while idle. The pool replaces it. */
  onIdleError(error: Error): void;
  /** How long a statement may wait for a connection before it fails. */
  connectTimeoutMs?: number;
  /** The server cancels statements that run longer. */
  statementTimeoutMs?: number;
  /** The longest limit that a transaction sets for its own statements. Absent: `statementTimeoutMs`. */
  longStatementMs?: number;
  /** Called with a function that reads the current state of the pool. */
  watchPool?(look: () => PoolStats): void;
}

/** The connections of a pool, and how many callers wait for one. */
export interface PoolStats {
  size: number;
  inUse: number;
  waiting: number;
  max: number;
}

/**
 * Postgres ends a transaction whose process is silent for so long, and a connection whose process does not read an answer. So a
 * process that is frozen, or that the network separates, releases its locks.
 */
const SILENT_MS = 9_000;

/**
 * Settings of every connection. The time zone is UTC, because the adapter drops the offset of a timestamptz. The planner
 * assumes an SSD and does not compile: with its defaults it would read a whole large table for statements of the hot path,
 * which find few rows by key.
 */
const SESSION =
  '-c TimeZone=UTC -c random_page_cost=1.1 -c jit=off ' +
  `-c idle_in_transaction_session_timeout=${SILENT_MS} -c tcp_user_timeout=${SILENT_MS}`;

/** The connection settings of the driver's pool. `session` is added to the settings that every connection has. */
export function poolOptions(options: DbOptions, session = ''): PoolSettings {
  const { url, poolSize, connectTimeoutMs = 5_000, statementTimeoutMs = 30_000 } = options;
  const { longStatementMs = statementTimeoutMs } = options;
  return {
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    // Trimmed, because PgBouncer does not accept a space at the end.
    options: `${SESSION} -c statement_timeout=${statementTimeoutMs} ${session}`.trimEnd(),
    // The server's own limit comes first; this one is for a server that no longer responds.
    query_timeout: longStatementMs + 5_000,
    keepAlive: true,
    onConnect: (client) => limitTransactions(client, longStatementMs + 5_000),
  };
}

/**
 * Postgres 17 or newer ends longer transactions, also those that are never silent. It is no setting of SESSION: older versions
 * would refuse it. Behind a pooler nothing is set, because the setting would reach other clients.
 */
async function limitTransactions(client: ClientBase, limitMs: number): Promise<void> {
  await client.query(`
    SELECT set_config('transaction_timeout', '${limitMs}', false) FROM pg_settings
    WHERE name = 'idle_in_transaction_session_timeout' AND source = 'client'
      AND current_setting('server_version_num')::int >= 170000`);
}

/**
 * Opens no connection before the first statement, so a process starts without Postgres and reports that it is not
 * ready.
 */
export function createDb(options: DbOptions): Db {
  const config = poolOptions(options);
  const pool = new SharedPool(config);
  pool.on('error', options.onIdleError);
  options.watchPool?.(() => poolStats(pool, pool.waitingForTurn()));
  const adapter = new PrismaPg(pool);
  // The wait for a connection ends first.
  const client = new PrismaClient({ adapter, transactionOptions: { maxWait: config.connectionTimeoutMillis } });
  const transact = client.$transaction.bind(client);
  const sharing: Transact = (work, limits) => transact((tx) => runInTransaction(() => work(tx)), limits);
  const disconnect = client.$disconnect.bind(client);
  let ended: Promise<void> | undefined;
  return Object.assign(client, {
    $transaction: sharing,
    // If the adapter ended the pool, Prisma would open another one for a later statement.
    $disconnect() {
      ended ??= disconnect().then(() => pool.end());
      return ended;
    },
  });
}

/** `waitingForTurn`: statements that wait before the pool knows them. */
export function poolStats({ totalCount, idleCount, waitingCount, options }: Pool, waitingForTurn = 0): PoolStats {
  return { size: totalCount, inUse: totalCount - idleCount, waiting: waitingCount + waitingForTurn, max: options.max };
}

/** Null if Postgres responds to a statement, else the error. */
export async function ping(db: Db): Promise<unknown> {
  try {
    await db.$queryRaw`SELECT 1 FROM organizations LIMIT 1`;
    return null;
  } catch (error) {
    return error;
  }
}
