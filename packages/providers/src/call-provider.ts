import { ProviderFailure, type ProviderFailureKind, retryAfterMs } from '@jobline/handlers/errors';
import type { Logger } from '@jobline/runtime';
import { Agent } from 'undici';

/** The provider as failures and logs name it. Its host is known only to the operator and appears only in the log. */
export interface CalledProvider {
  /** The name in failures. */
  who: string;
  log: Logger;
}

export interface CallOptions extends CalledProvider {
  /** The configured address, which may be private and may have a path of its own. */
  base: string;
  /** The limit from the start of a call to the last byte of its answer. */
  timeoutMs: number;
}

export interface ProviderCall {
  /** Appended to the base. */
  path: string;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Sent by POST, as JSON or as a form. Absent: a GET. */
  body?: object;
  /** Replaces the limit of the provider. */
  timeoutMs?: number;
  /** The secrets that it sends, in each form in which it sends them. */
  secrets?: readonly string[];
  signal: AbortSignal;
}

export interface ProviderAnswer {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** As it was received: parse it, then quote from it. */
  text: string;
  /** Returns words of the answer without the secrets that the provider may have quoted from the request: tenants read failures. */
  quote(words: string): string;
}

/** The maximum size of an answer. Answers of providers are short. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Below the limit of every call, so a call that times out had a connection and may have reached the provider. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Sends a request to a provider. Every answer is returned, regardless of its status, and redirects are not followed.
 * Throws ProviderFailure: `transient` if nothing can have been sent, `ambiguous` if a request was sent and no complete
 * answer arrived. Throws the reason of the signal if the signal is aborted.
 */
export type CallProvider = (call: ProviderCall) => Promise<ProviderAnswer>;

export function createCallProvider({ base, timeoutMs: usualTimeoutMs, ...called }: CallOptions): CallProvider {
  const agent = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS }, maxResponseSize: MAX_ANSWER_BYTES });
  return async ({ path, headers, body, timeoutMs = usualTimeoutMs, secrets = [], signal }) => {
    signal.throwIfAborted();
    const { host, origin, pathname, search } = new URL(below(base, path));
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await agent.request({
        origin,
        path: pathname + search,
        ...(body === undefined ? { method: 'GET', headers } : posted(body, headers)),
        signal: AbortSignal.any([signal, timeout]),
      });
      const received = Object.entries(answer.headers).map(([name, value]) => [name, String(value ?? '')]);
      return {
        status: answer.statusCode,
        headers: Object.fromEntries(received),
        text: await answer.body.text(),
        quote: (words) => withoutSecrets(words, secrets),
      };
    } catch (error) {
      signal.throwIfAborted();
      throw timeout.aborted ? timeoutFailure(called, host, timeoutMs) : connectionFailure(called, host, error);
    }
  };
}

function posted(body: object, headers: ProviderCall['headers']) {
  const isForm = body instanceof URLSearchParams;
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  return {
    method: 'POST' as const,
    headers: { 'content-type': type, ...headers },
    body: isForm ? body.toString() : JSON.stringify(body),
  };
}

/** The failure of a call that got no answer in time. */
export function timeoutFailure({ who, log }: CalledProvider, host: string, timeoutMs: number): ProviderFailure {
  log.warn('provider did not answer in time', { provider: who, host, timeoutMs });
  return new ProviderFailure('ambiguous', `no answer from ${who} within ${timeoutMs / 1000} s`);
}

/**
 * The failure of a call whose connection failed. The codes of Node, OpenSSL and undici show how far the call came. The
 * error itself is left out, because some clients keep the request with its secrets in it.
 */
export function connectionFailure({ who, log }: CalledProvider, host: string, error: unknown): ProviderFailure {
  const code = codeOf(error);
  log.warn('the connection to a provider failed', { provider: who, host, code });
  return NOTHING_SENT.test(code)
    ? new ProviderFailure('transient', `no connection to ${who} (${code})`)
    : new ProviderFailure('ambiguous', `the connection to ${who} failed before its answer was complete (${code})`);
}

const NOTHING_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|ENODATA|ESERVFAIL|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$|CERT|^ERR_TLS_|^ERR_SSL_|^UNABLE_TO_|^EPROTO$/;

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** The kind of failure that an HTTP status means. */
export function kindOfStatus(status: number): ProviderFailureKind {
  if (status === 429) return 'throttled';
  return status >= 500 || LATER.has(status) ? 'transient' : 'rejected';
}

/** Request timeout, conflict and too early: the 4xx statuses after which a retry may succeed. */
const LATER: ReadonlySet<number> = new Set([408, 409, 425]);

/** The failure that an unsuccessful answer means. `words` is the text of the provider. */
export function statusFailure(
  answer: Pick<ProviderAnswer, 'status' | 'headers'>,
  who: string,
  words: string,
): ProviderFailure {
  return answerFailure(kindOfStatus(answer.status), `${who} answered ${answer.status}${words && `: ${words}`}`, answer);
}

/** A failure with the wait that the answer asks for. The wait counts only if a retry can succeed. */
export function answerFailure(
  kind: ProviderFailureKind,
  message: string,
  { headers }: Pick<ProviderAnswer, 'headers'>,
): ProviderFailure {
  return new ProviderFailure(kind, message, {
    retryAfterMs: kind === 'rejected' ? null : retryAfterMs(headers['retry-after']),
  });
}

/** Removes secrets that a provider may have quoted from the request. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => (secret ? rest.replaceAll(secret, '***') : rest), text);
}

/** Appends a path to a configured base URL, which may have a path of its own. */
export function below(base: string, path: string): string {
  return base.replace(/(?<!\/)\/+$/, '') + path;
}

/** Parses an answer that should be a JSON object; null if it is not one. Check every field before use. */
export function readJson<T extends object>(text: string): Partial<T> | null {
  try {
    const value: unknown = JSON.parse(text);
    // The cast: the fields of T have the type unknown, so the cast promises nothing about them.
    return typeof value === 'object' && value !== null ? (value as Partial<T>) : null;
  } catch {
    return null; // for example an HTML page of a gateway
  }
}
