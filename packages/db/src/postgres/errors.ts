import { elapsedMs, pause } from '@jobline/runtime';
import pg from 'pg';

/** Classification of errors of Postgres, the driver and the pool, by what a caller can do about them. */

const UNREACHABLE_KINDS = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'AuthenticationFailed',
  'DatabaseAccessDenied',
  'DatabaseDoesNotExist',
  'TlsConnectionError',
]);
const UNREACHABLE_PRISMA_CODES = /^P(1000|1001|1002|1003|1008|1010|1011|1017|2024|2028)$/;
/**
 * Connections (08), a password or a certificate that is no longer valid (28), a missing database (3D000), deadlocks and
 * serialization failures (40), resources (53), system errors (58), a shutdown or start, read-only after a failover, a
 * statement or a wait for a lock that took too long. None of them is about the data.
 */
const UNREACHABLE_STATES = /^(08...|28...|3D000|40001|40P01|53...|58...|57P0[1-5]|25006|57014|55P03)$/;
/** The message of the error for a statement that has waited too long for its organization's share of the connections. */
export const SHARE_USED_UP = 'timeout exceeded when trying to connect: the organization uses its share';
/** Messages of the driver and its pool, and codes of the system and of TLS. */
const UNREACHABLE_TEXTS =
  /timeout exceeded when trying to connect|connection terminated|query read timeout|not queryable|server closed the connection|does not support SSL connections|establishing an SSL connection|Cannot use a pool after calling end/i;
const UNREACHABLE_CODES =
  /\bE(CONNRESET|CONNREFUSED|CONNABORTED|PIPE|TIMEDOUT|HOSTUNREACH|HOSTDOWN|NETUNREACH|NETDOWN|NOTFOUND|AI_(AGAIN|FAIL|MEMORY)|ADDRNOTAVAIL|MFILE|NFILE|NOBUFS|NOMEM)\b|CERT_|_CERT\b|UNABLE_TO_(GET|VERIFY)_/;
/**
 * A value that Postgres does not accept (22), that violates a constraint (23), or that is too large or too deeply
 * nested (54).
 */
const DATA_STATES = /^(22|23|54)...$/;

/**
 * Whether Postgres could not be reached, did not respond in time, or could not run the statement now: a later
 * repetition may succeed. The statement may or may not have taken effect.
 */
export function isUnavailable(error: unknown): boolean {
  const { kind, state } = causeOf(error);
  if (kind && UNREACHABLE_KINDS.has(kind)) return true;
  if (state) return UNREACHABLE_STATES.test(state);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  if (UNREACHABLE_PRISMA_CODES.test(code) || UNREACHABLE_CODES.test(code)) return true;
  return UNREACHABLE_TEXTS.test(error.message) || UNREACHABLE_CODES.test(error.message);
}

/** Whether the statement was not run because its organization had too many others. */
export function isShareUsedUp(error: unknown): boolean {
  return error instanceof Error && error.message.includes(SHARE_USED_UP);
}

/**
 * Whether Postgres refused the values themselves, so that the same statement can never succeed. Every other error, of
 * Postgres, the driver, the pool or the system, may pass: the disk gets space again, a migration ends, a broken table
 * is repaired. Use it for writes that must succeed eventually; requests use `isUnavailable`.
 */
export function isAboutData(error: unknown): boolean {
  const { state } = causeOf(error);
  return state !== undefined && DATA_STATES.test(state);
}

/**
 * Whether the statement was rolled back because of a concurrent one and can be run again immediately. It took no
 * effect.
 */
export function isDeadlock(error: unknown): boolean {
  const { state } = causeOf(error);
  return state === '40P01' || state === '40001';
}

/** Whether the statement waited for a lock as long as its transaction allows. */
export function isLockTimeout(error: unknown): boolean {
  return causeOf(error).state === '55P03';
}

/** Whether a unique constraint refused a row. */
export function isUniqueViolation(error: unknown): boolean {
  return causeOf(error).state === '23505';
}

/** How long a deadlocked statement is repeated. It must be shorter than the time limit of a request. */
const RETRY_FOR_MS = 5_000;
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 250;

/**
 * Runs a statement again while it deadlocks or fails to serialize, after pauses that double and are random, so that the
 * same statements do not collide again. After five seconds the last error is thrown, which `isUnavailable` recognizes.
 */
export async function retryDeadlocks<T>(statement: () => Promise<T>): Promise<T> {
  const end = performance.now() + RETRY_FOR_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await statement();
    } catch (error) {
      if (!isDeadlock(error) || performance.now() > end) throw error;
    }
    await pause(pauseMs * (0.5 + Math.random()));
  }
}

/**
 * The driver's error. Prisma 7 keeps the error of its adapter in `meta.driverAdapterError`, and throws it as it is if a
 * COMMIT fails.
 */
function causeOf(error: unknown): { kind?: string; state?: string } {
  if (error instanceof pg.DatabaseError) return error.code ? { state: error.code } : {};
  const cause = field(field(field(error, 'meta'), 'driverAdapterError') ?? error, 'cause');
  const kind = field(cause, 'kind');
  const state = field(cause, 'originalCode');
  return { ...(typeof kind === 'string' && { kind }), ...(typeof state === 'string' && { state }) };
}

function field(value: unknown, name: string): unknown {
  // The cast says only that an object may have any field.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

const RETRY_EVERY_MS = 200;

/**
 * Repeats a write while Postgres is unavailable, for an outcome that must be recorded: what is not recorded may be done
 * a second time. The write is tried at least once. The last error is thrown once the signal has fired or `limitMs` have
 * passed.
 */
export async function untilPostgresAnswers<T>(
  write: () => Promise<T>,
  bound: { signal: AbortSignal } | { limitMs: number },
): Promise<T> {
  const startedAt = performance.now();
  const signal = 'signal' in bound ? bound.signal : undefined;
  const limitMs = 'limitMs' in bound ? bound.limitMs : Number.POSITIVE_INFINITY;
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isUnavailable(error) || signal?.aborted || elapsedMs(startedAt) > limitMs) throw error;
    }
    await pause(RETRY_EVERY_MS, signal);
  }
}
