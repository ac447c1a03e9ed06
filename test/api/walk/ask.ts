import type { endpoints } from '@jobline/api/endpoints';
import { checkAnswer } from '../../harness/index.js';

/** The variable parts of a request to an endpoint. */
export interface EndpointRequest {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: object;
  /** Sent unchanged, in place of `body`. */
  raw?: string;
  headers?: Record<string, string>;
}

export interface EndpointResponse {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends a request. Of an endless stream, it returns the beginning. Fails if the response is not as documented. */
export async function ask(
  baseUrl: string,
  { method, path: pattern }: Pick<(typeof endpoints)[string], 'method' | 'path'>,
  { params = {}, query = {}, body, raw, headers = {} }: EndpointRequest,
  credential: Record<string, string> = {},
): Promise<EndpointResponse> {
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const content = raw ?? (body && JSON.stringify(body));
  const leaving = new AbortController();
  const response = await fetch(`${baseUrl}${path}?${new URLSearchParams(query)}`.replace(/\?$/, ''), {
    method: method.toUpperCase(),
    redirect: 'manual',
    signal: leaving.signal,
    headers: { ...(content !== undefined && { 'content-type': 'application/json' }), ...headers, ...credential },
    ...(content !== undefined && { body: content }),
  });
  const isEndless = response.headers.get('content-type') === 'text/event-stream';
  const text = isEndless ? await beginning(response, leaving) : await response.text();
  const received = { status: response.status, headers: response.headers, text };
  checkAnswer(method.toUpperCase(), path, received);
  return received;
}

async function beginning(response: Response, leaving: AbortController): Promise<string> {
  const first = await response.body?.getReader().read();
  leaving.abort();
  return new TextDecoder().decode(first?.value);
}
