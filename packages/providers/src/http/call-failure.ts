import { HandlerError } from '@jobline/handlers/errors';

/**
 * The sentences that tenants read for the code of an error, or for its name if it has no code. The codes are those of
 * Node, OpenSSL and undici.
 */
const SENTENCES: readonly [RegExp, (host: string, kind: string) => string][] = [
  [/^ECONNREFUSED$/, (host) => `connection refused by ${host}`],
  [
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/,
    (host) => `${host} closed the connection before its answer was complete`,
  ],
  [/^(ENOTFOUND|EAI_\w+|ENODATA|ESERVFAIL)$/, (host) => `the name of ${host} could not be resolved`],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, (host) => `no connection to ${host} in time`],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, (host) => `${host} cannot be reached`],
  [/^(HPE_\w+|HTTPParserError|UND_ERR_HEADERS_OVERFLOW)$/, (host) => `${host} did not answer in HTTP`],
  [/CERT|^ERR_TLS_|^ERR_SSL_|^UNABLE_TO_|^EPROTO$/, (host, kind) => `no secure connection to ${host} (${kind})`],
];

/**
 * Turns the error of a failed call into an error that tenants can read. Our own errors, and errors that are not about a
 * call, stay as they are.
 */
export function callFailure(error: unknown, host: string): unknown {
  if (error instanceof HandlerError || !(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  const kind = code ?? error.name;
  const [, sentence] = SENTENCES.find(([pattern]) => pattern.test(kind)) ?? [];
  if (!sentence && code === null) return error;
  const message = sentence?.(host, kind) ?? `the call to ${host} failed (${kind})`;
  return new HandlerError('provider_unavailable', message, { cause: error });
}

export function noAnswer(host: string, timeoutMs: number): HandlerError {
  return new HandlerError('provider_unavailable', `no answer from ${host} within ${timeoutMs / 1000} s`);
}

export function workerStopping(): HandlerError {
  return new HandlerError('provider_unavailable', 'the call was canceled because the worker is stopping');
}
