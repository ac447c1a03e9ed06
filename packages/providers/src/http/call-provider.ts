import { ProviderFailure, type ProviderFailureKind, retryAfterMs } from '@jobline/handlers/errors';
import type { Logger } from '@jobline/runtime';
import { Agent } from 'undici';

export interface ProviderCall {
  url: string;
  method: 'GET' | 'POST';
  /** Lower-case names. */
  headers: Record<string, string>;
  body?: string;
  /** From the start of the call to the last byte of the answer. */
  timeoutMs: number;
  signal: AbortSignal;
}

export interface ProviderAnswer {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  text: string;
}

/** A longer answer is cut: what providers say is short. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Below every limit of a call, so that one that runs out of time had a connection, and may have been heard. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * A request to a provider, at the address that the operator chose: it may be private. Any answer is returned, whatever
 * its status; redirects are not followed. Throws ProviderFailure `transient` when nothing can have been sent,
 * `ambiguous` when no whole answer came to what was, and the signal's reason when that fired.
 */
export type CallProvider = (call: ProviderCall) => Promise<ProviderAnswer>;

/** A provider as tenants know it. Its host is the operator's and appears in the log alone. */
export interface CalledProvider {
  /** As failures name it. */
  who: string;
  log: Logger;
}

export function createCallProvider(called: CalledProvider): { call: CallProvider; close(): Promise<void> } {
  const agent = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS }, maxResponseSize: MAX_ANSWER_BYTES });
  return { call: (call) => callProvider(agent, called, call), close: () => agent.destroy() };
}

async function callProvider(
  dispatcher: Agent,
  called: CalledProvider,
  { url, timeoutMs, signal, ...request }: ProviderCall,
): Promise<ProviderAnswer> {
  signal.throwIfAborted();
  const { host, origin, pathname, search } = new URL(url);
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await dispatcher.request({
      origin,
      path: pathname + search,
      ...request,
      signal: AbortSignal.any([signal, timeout]),
    });
    const headers = Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name, String(value ?? '')]),
    );
    return { status: answer.statusCode, headers, text: await answer.body.text() };
  } catch (error) {
    signal.throwIfAborted();
    throw timeout.aborted ? lateCall(called, host, timeoutMs) : lostCall(called, host, error);
  }
}

/** What became of a call that had no answer in time. */
export function lateCall({ who, log }: CalledProvider, host: string, timeoutMs: number): ProviderFailure {
  log.warn('no answer from a provider in time', { provider: who, host, timeoutMs });
  return new ProviderFailure('ambiguous', `no answer from ${who} within ${timeoutMs / 1000} s`);
}

/**
 * What became of a call that ended without an answer: Node's, OpenSSL's and undici's codes say how far it came. The error
 * itself is left behind, because some clients keep the request with its secrets in it.
 */
export function lostCall({ who, log }: CalledProvider, host: string, error: unknown): ProviderFailure {
  const code = codeOf(error);
  log.warn('a call to a provider broke off', { provider: who, host, code });
  return NOTHING_SENT.test(code)
    ? new ProviderFailure('transient', `no connection to ${who} (${code})`)
    : new ProviderFailure('ambiguous', `the connection to ${who} broke before its answer was there (${code})`);
}

const NOTHING_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|ENODATA|ESERVFAIL|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$|CERT|^ERR_TLS_|^ERR_SSL_|^UNABLE_TO_|^EPROTO$/;

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** What a status other than a success says of the request. */
export function kindOfStatus(status: number): ProviderFailureKind {
  if (status === 429) return 'throttled';
  return status >= 500 || LATER.has(status) ? 'transient' : 'rejected';
}

/** Request timeout, conflict, too early: of the 4xx those that another time may not meet. */
const LATER: ReadonlySet<number> = new Set([408, 409, 425]);

/** The failure that an answer other than a success means. `words` are the provider's own. */
export function statusFailure(
  answer: Pick<ProviderAnswer, 'status' | 'headers'>,
  who: string,
  words: string,
): ProviderFailure {
  const kind = kindOfStatus(answer.status);
  return new ProviderFailure(kind, `${who} answered ${answer.status}${words && `: ${words}`}`, {
    // A wait counts only where waiting can help.
    retryAfterMs: kind === 'rejected' ? null : retryAfterMs(answer.headers['retry-after']),
  });
}

/** A text without the secrets that a provider may have quoted from the request. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => (secret ? rest.replaceAll(secret, '***') : rest), text);
}

/** An address below a configured base, which may have a path of its own. */
export function below(base: string, path: string): string {
  return base.replace(/(?<!\/)\/+$/, '') + path;
}
