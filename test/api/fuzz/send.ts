import { type Agent, type IncomingMessage, request } from 'node:http';
import { HANG_MS } from '../../harness/index.js';
import type { WireRequest } from './requests.js';

export interface WireAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends a request as it is. Rejects when there is no answer. Of a stream without an end, its beginning is the answer. */
export async function send(
  base: URL,
  agent: Agent,
  wire: WireRequest,
  credential: Record<string, string>,
): Promise<WireAnswer> {
  try {
    return await sendOnce(base, agent, wire, credential);
  } catch (error) {
    // A kept connection that the other side was just closing.
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
      if (answered) return; // it answered before it had all of the body
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
