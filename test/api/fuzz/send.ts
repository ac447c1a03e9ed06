import { type Agent, type IncomingMessage, request } from 'node:http';
import { HANG_MS } from '../../harness/index.js';
import type { WireRequest } from './requests.js';

export interface WireAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends a request unchanged. Rejects if there is no response. Of an endless stream, it returns the beginning. */
export async function send(
  base: URL,
  agent: Agent,
  wire: WireRequest,
  credential: Record<string, string>,
): Promise<WireAnswer> {
  try {
    return await sendOnce(base, agent, wire, credential);
  } catch (error) {
    // The server was just closing this idle connection.
    if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET')
      return sendOnce(base, agent, wire, credential);
    throw error;
  }
}

function sendOnce(base: URL, agent: Agent, wire: WireRequest, credential: Record<string, string>): Promise<WireAnswer> {
  const { method, path, headers, body, chunked } = wire;
  const length = body && !chunked ? { 'content-length': String(body.length) } : {};
  const coding = body && chunked ? { 'transfer-encoding': 'chunked' } : {};
  return new Promise((resolve, reject) => {
    const all = { ...headers, ...credential, ...length, ...coding };
    const { hostname, port } = base;
    const outgoing = request({ hostname, port, agent, method, path, headers: all });
    let answered = false;
    const timer = setTimeout(() => outgoing.destroy(new Error('no answer in time')), HANG_MS);
    outgoing.once('response', (response) => {
      answered = true;
      read(response)
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
    outgoing.on('error', (error) => {
      if (answered) return; // the server responded before it had the whole body
      clearTimeout(timer);
      reject(error);
    });
    outgoing.end(body);
  });
}

async function read(response: IncomingMessage): Promise<WireAnswer> {
  const headers = new Headers();
  for (let i = 0; i < response.rawHeaders.length; i += 2)
    headers.append(response.rawHeaders[i] ?? '', response.rawHeaders[i + 1] ?? '');
  const chunks: Buffer[] = [];
  const isEndless = headers.get('content-type') === 'text/event-stream';
  for await (const chunk of response) {
    chunks.push(chunk);
    if (isEndless) break;
  }
  return { status: response.statusCode ?? 0, headers, text: Buffer.concat(chunks).toString() };
}
