import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import { createOutbound, type OutboundOptions } from '@jobline/providers';
import { HANG_MS, type NameServer, startNameServer } from '../harness/index.js';

const closing: (() => Promise<unknown>)[] = [];

/** Call this after each test: it ends everything that the functions below have started. */
export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0)) await close();
}

export type OpenOutbound = ReturnType<typeof createOutbound>;
type Request = Parameters<OpenOutbound['request']>[0];
type CallOptions = Partial<Request>;

/** Returns a new organization id each time. */
export function newOrg(): Request['orgId'] {
  // The cast: any string can be an id if nothing is stored.
  return randomUUID() as Request['orgId'];
}

export function open(options: OutboundOptions): OpenOutbound {
  const outbound = createOutbound(options);
  closing.unshift(() => outbound.close());
  return outbound;
}

/** A name server, and an outbound client that uses it. Lookups do not time out. */
export async function openWithNames(options: Partial<OutboundOptions> = {}) {
  const names = await nameServer();
  const lookup = { servers: [names.address], timeoutMs: HANG_MS, tries: 1 };
  return { names, outbound: open({ allowHosts: [], names: lookup, ...options }) };
}

export async function nameServer(): Promise<NameServer> {
  const names = await startNameServer();
  closing.push(names.close);
  return names;
}

export function get(outbound: OpenOutbound, url: string) {
  return call(outbound, url, {});
}

export function call(outbound: OpenOutbound, url: string, options: CallOptions) {
  return outbound.request({
    orgId: newOrg(),
    method: 'GET',
    timeoutMs: HANG_MS,
    maxBytes: 1024,
    signal: new AbortController().signal,
    ...options,
    url,
  });
}

/** A server that counts connections and answers with 200. */
export async function listen() {
  const seen = { port: 0, connections: 0 };
  const server = createServer((_request, response) => void response.end());
  server.on('connection', () => seen.connections++);
  seen.port = await start(server);
  return seen;
}

/** A server that records requests and answers with the listener, and an outbound client that may call it. */
export async function receiver(listener: RequestListener) {
  const requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const chunks = await request.toArray();
    requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    listener(request, response);
  });
  server.on('connection', () => connections++);
  const host = `127.0.0.1:${await start(server)}`;
  const outbound = open({ allowHosts: [host] });
  return { outbound, host, url: `http://${host}`, requests, server, connections: () => connections };
}

/** Listens on all addresses, so that a call arrives with every spelling of the address. */
export async function start(server: Server | TcpServer): Promise<number> {
  server.listen(0);
  await once(server, 'listening');
  closing.push(() => close(server));
  // The cast: a string is the address of a pipe, and this server listens on TCP.
  return (server.address() as AddressInfo).port;
}

export async function close(server: Server | TcpServer): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  if ('closeAllConnections' in server) server.closeAllConnections();
  await closed;
}
