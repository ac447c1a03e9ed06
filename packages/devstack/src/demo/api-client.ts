import { PlainError, reasonOf } from '../processes/plain-error.js';

export interface Answer {
  status: number;
  body: unknown;
}

/** The HTTP API, which the demo uses like any other client. The headers authenticate the request. */
export interface ApiClient {
  url: string;
  get(path: string, headers: Record<string, string>): Promise<Answer>;
  post(path: string, body: object, headers?: Record<string, string>): Promise<Answer>;
}

const LIMIT_MS = 10_000;

export function createApiClient(url: string, stopping: AbortSignal): ApiClient {
  async function call(method: string, path: string, request: RequestInit): Promise<Answer> {
    try {
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(LIMIT_MS)]);
      const response = await fetch(`${url}${path}`, { method, signal, ...request });
      return { status: response.status, body: await response.json() };
    } catch (error) {
      throw new PlainError(`${method} ${path} failed: ${reasonOf(error)}.`, { cause: error });
    }
  }
  return {
    url,
    get: (path, headers) => call('GET', path, { headers }),
    post: (path, body, headers) =>
      call('POST', path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } }),
  };
}

export const withKey = (apiKey: string) => ({ 'x-api-key': apiKey });
export const withToken = (token: string) => ({ authorization: `Bearer ${token}` });

/** The text at a path of the body. Throws PlainError, with the answer, if the status differs or there is no text. */
export function textOf(answer: Answer, status: number, ...path: string[]): string {
  const value = answer.status === status ? path.reduce(fieldOf, answer.body) : undefined;
  if (typeof value === 'string') return value;
  throw new PlainError(`Unexpected answer of the API: ${answer.status} ${JSON.stringify(answer.body).slice(0, 500)}`);
}

export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
}
