import { OutboundForbidden } from '@jobline/handlers/errors';
import { type Outbound, type OutboundRequest, type OutboundResponse, outboundUrlFault } from '@jobline/handlers/ports';
import type { Logger } from '@jobline/runtime';
import { Agent, type Dispatcher } from 'undici';
import { createAllowList } from './allow-list.js';
import { callFailure, noAnswer } from './failure.js';
import { createGuardedConnector, type Resolve } from './guarded-connector.js';

export interface OutboundOptions {
  /** `host` or `host:port`: reached although private. Matched exactly. */
  allowHosts: readonly string[];
  /** Told of refused calls. */
  log?: Logger;
  /** How names are resolved. For tests. */
  resolve?: Resolve;
}

/** The guarded way out. Throws when an allowed host is misspelled. Nothing is pooled, so every call is checked anew. */
export function createOutbound(options: OutboundOptions): Outbound & { close(): Promise<void> } {
  const agent = new Agent({
    connect: createGuardedConnector({
      allowList: createAllowList(options.allowHosts),
      resolve: options.resolve,
      log: options.log,
    }),
    // No keep-alive: a pooled connection would skip the check.
    pipelining: 0,
    // For the one connection that can idle: its request was given up while it was being opened.
    keepAliveTimeout: 1_000,
  });
  return {
    async request(request) {
      const fault = outboundUrlFault(request.url);
      if (fault) throw new OutboundForbidden(`the URL ${fault}`);
      return withDeadline(request, new URL(request.url), (signal) => exchange(agent, request, signal));
    },
    /** Ends every connection, calls still under way included. */
    close: () => agent.destroy(),
  };
}

/**
 * The call, or whichever comes first: the deadline or the request's own signal. Raced, because undici looks at its
 * signal only once a connection stands, and a name server or a silent host can keep it waiting.
 */
async function withDeadline<T>(
  { timeoutMs, signal }: OutboundRequest,
  url: URL,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const ending = new AbortController();
  const ended = new Promise<never>((_, reject) => {
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason), { once: true });
  });
  const giveUp = () => ending.abort(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  const timer = setTimeout(() => ending.abort(noAnswer(url.host, timeoutMs)), timeoutMs);
  try {
    return await Promise.race([call(ending.signal), ended]);
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : callFailure(error, url.host);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

async function exchange(agent: Agent, request: OutboundRequest, signal: AbortSignal): Promise<OutboundResponse> {
  const { origin, pathname, search } = new URL(request.url);
  const answer = await agent.request({
    origin,
    path: pathname + search,
    method: request.method,
    // A compressed answer is taken as the bytes it is: there is nothing to inflate, hence no bomb.
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

/** Stops reading, and so ends the connection, with the chunk that goes past the limit. */
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
