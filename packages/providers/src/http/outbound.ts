import { OutboundForbidden } from '@jobline/handlers/errors';
import { type Outbound, type OutboundRequest, type OutboundResponse, outboundUrlIssue } from '@jobline/handlers/ports';
import type { Logger } from '@jobline/runtime';
import { Client, type Dispatcher } from 'undici';
import { createAllowList } from './allow-list.js';
import { callFailure, noAnswer, stopped } from './call-failure.js';
import { connectorTo, type Guard, guardedAddresses } from './guarded-addresses.js';
import { createNameLookup, type NameLookupOptions } from './name-lookup.js';

export interface OutboundOptions {
  /** `host` or `host:port`: reached although private. Matched exactly. */
  allowHosts: readonly string[];
  /** Told of refused calls. */
  log?: Logger;
  /** Where names are looked up, and how long; absent: at the name servers of this machine. */
  names?: NameLookupOptions;
}

/** The guarded way out. Throws when an allowed host is misspelled. Nothing is pooled, so every call is checked anew. */
export function createOutbound({ allowHosts, log, names }: OutboundOptions): Outbound & { close(): Promise<void> } {
  const guard: Guard = { allowList: createAllowList(allowHosts), lookUp: createNameLookup(names), log };
  const underWay = new Map<AbortController, Promise<OutboundResponse>>();
  return {
    async request(request) {
      const issue = outboundUrlIssue(request.url);
      if (issue) throw new OutboundForbidden(`the URL ${issue}`);
      const url = new URL(request.url);
      const ending = new AbortController();
      const call = untilEnded(request, url, ending, () => callGuarded(guard, request, url, ending.signal));
      underWay.set(ending, call);
      try {
        return await call;
      } finally {
        underWay.delete(ending);
      }
    },
    /** Ends every connection, calls still under way included. */
    async close() {
      for (const ending of underWay.keys()) ending.abort(stopped());
      await Promise.allSettled(underWay.values());
    },
  };
}

/**
 * The call, or what comes first: its deadline, the request's own signal, or what else ends it. Raced, because the lookup of
 * an allowed host cannot be canceled.
 */
async function untilEnded<T>(
  { timeoutMs, signal }: OutboundRequest,
  url: URL,
  ending: AbortController,
  call: () => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const ended = new Promise<never>((_, reject) => {
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason), { once: true });
  });
  const giveUp = () => ending.abort(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  const timer = setTimeout(() => ending.abort(noAnswer(url.host, timeoutMs)), timeoutMs);
  try {
    return await Promise.race([call(), ended]);
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : callFailure(error, url.host);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

/** Looks the name up, checks what it has, and calls nothing else. */
async function callGuarded(
  guard: Guard,
  request: OutboundRequest,
  url: URL,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const addresses = await guardedAddresses(guard, request.orgId, url, signal);
  signal.throwIfAborted();
  // Without keep-alive: a connection that is used again would skip the check.
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
