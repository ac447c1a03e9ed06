import { HandlerError, OutboundForbidden } from '@jobline/handlers/errors';
import { type Outbound, type OutboundRequest, type OutboundResponse, outboundUrlIssue } from '@jobline/handlers/ports';
import type { Logger } from '@jobline/runtime';
import { Client, type Dispatcher } from 'undici';
import { createNameLookup, type NameLookupOptions } from '../dns/name-lookup.js';
import { rejectOnAbort } from '../reject-on-abort.js';
import { connectorTo, createAllowList, type Guard, guardedAddresses } from './outbound-guard.js';

export interface OutboundOptions {
  /** Hosts that may be called although they are private, each as `host` or `host:port`. Matched exactly. */
  allowHosts: readonly string[];
  /** Receives a warning for each blocked call. */
  log?: Logger;
  /** How names are looked up. Absent: by the name servers of this machine. */
  names?: NameLookupOptions;
}

/**
 * Creates the guarded HTTP client for addresses that tenants chose. Throws if an allowed host is invalid. Connections
 * are not pooled, so every call is checked.
 */
export function createOutbound({ allowHosts, log, names }: OutboundOptions): Outbound & { close(): Promise<void> } {
  const guard: Guard = { allowList: createAllowList(allowHosts), lookUp: createNameLookup(names), log };
  const inProgress = new Map<AbortController, Promise<OutboundResponse>>();
  return {
    async request(request) {
      const issue = outboundUrlIssue(request.url);
      if (issue) throw new OutboundForbidden(`the URL ${issue}`);
      const url = new URL(request.url);
      const ending = new AbortController();
      const call = raceWithEnd(request, url, ending, () => callGuarded(guard, request, url, ending.signal));
      inProgress.set(ending, call);
      try {
        return await call;
      } finally {
        inProgress.delete(ending);
      }
    },
    /** Closes all connections, including those of calls in progress. */
    async close() {
      for (const ending of inProgress.keys())
        ending.abort(unavailable('the call was canceled because the worker is stopping'));
      await Promise.allSettled(inProgress.values());
    },
  };
}

/**
 * The result of the call, or the first event that ends it: its deadline, the signal of the request, or the closing of
 * the client. It is a race because the lookup of an allowed host cannot be canceled.
 */
async function raceWithEnd<T>(
  { timeoutMs, signal }: OutboundRequest,
  url: URL,
  ending: AbortController,
  call: () => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const abort = () => ending.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(
    () => ending.abort(unavailable(`no answer from ${url.host} within ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  try {
    return await rejectOnAbort(ending.signal, call());
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : callFailure(error, url.host);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** Looks up the name, checks its addresses, and calls no other address. */
async function callGuarded(
  guard: Guard,
  request: OutboundRequest,
  url: URL,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const addresses = await guardedAddresses(guard, request.orgId, url, signal);
  signal.throwIfAborted();
  // No keep-alive: a reused connection would skip the check.
  const client = new Client(url.origin, { connect: connectorTo(addresses, signal), pipelining: 0 });
  try {
    return await exchange(client, request, url, signal);
  } finally {
    await client.destroy();
  }
}

async function exchange(
  client: Client,
  request: OutboundRequest,
  { pathname, search }: URL,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const answer = await client.request({
    path: pathname + search,
    method: request.method,
    // Compressed answers are not decompressed, so a decompression bomb has no effect.
    headers: { 'accept-encoding': 'identity', ...request.headers },
    body: request.body ?? null,
    signal,
    headersTimeout: request.timeoutMs,
    bodyTimeout: request.timeoutMs,
  });
  return {
    status: answer.statusCode,
    headers: plainHeaders(answer.headers),
    ...(await readAtMost(request.maxBytes, answer.body)),
  };
}

function plainHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

/** Stops reading and closes the connection as soon as a chunk exceeds the limit. */
async function readAtMost(maxBytes: number, body: AsyncIterable<Buffer>): Promise<{ body: Uint8Array; cut: boolean }> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), cut: sizeBytes > maxBytes };
}

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
function callFailure(error: unknown, host: string): unknown {
  if (error instanceof HandlerError || !(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  const kind = code ?? error.name;
  const [, sentence] = SENTENCES.find(([pattern]) => pattern.test(kind)) ?? [];
  if (!sentence && code === null) return error;
  const message = sentence?.(host, kind) ?? `the call to ${host} failed (${kind})`;
  return unavailable(message, error);
}

function unavailable(message: string, cause?: unknown): HandlerError {
  return new HandlerError('provider_unavailable', message, { cause });
}
