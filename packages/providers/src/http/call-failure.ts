import { HandlerError } from '@jobline/handlers/errors';

/** What the tenant reads for an error's code, or its name where it has none: Node's, OpenSSL's and undici's. */
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

/** A failed call in words for the tenant. What is already in our words, or is no failure of a call, stays as it is. */
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

export function stopped(): HandlerError {
  return new HandlerError('provider_unavailable', 'the call was given up because the worker stops');
}
