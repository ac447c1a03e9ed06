import { Agent, request } from 'node:http';

/**
 * The response to a request; `cursor` is that of the next page of a list. Without a status there is no response; `wasSent`
 * says whether the request may have had an effect.
 */
export type Answer = { status: number; text: string; cursor: string | null } | { status: null; wasSent: boolean };

export interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: object;
}

const TIMEOUT_MS = 30_000;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Sends a request. Never rejects. */
export function send(url: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Answer> {
  return new Promise((resolve) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = request(url, {
      method,
      agent,
      timeout: TIMEOUT_MS,
      headers: { ...(text !== undefined && { 'content-type': 'application/json' }), ...headers },
    });
    const fail = (error: NodeJS.ErrnoException) => resolve({ status: null, wasSent: error.code !== 'ECONNREFUSED' });
    sent.on('response', (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        answer += part;
      });
      response.on('end', () => {
        const cursor = response.headers['x-next-cursor'];
        resolve({ status: response.statusCode ?? 0, text: answer, cursor: typeof cursor === 'string' ? cursor : null });
      });
      response.on('error', fail);
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    sent.on('error', fail);
    sent.end(text);
  });
}
