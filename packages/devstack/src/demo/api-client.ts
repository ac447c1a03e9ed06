import { PlainError, reasonOf } from '../processes/plain-error.js';

export interface Answer {
  status: number;
  body: unknown;
}

export type Credential = { apiKey: string } | { token: string };

/** The HTTP API, which the demo uses like any other client. */
export interface ApiClient {
  url: string;
  get(path: string, credential: Credential): Promise<Answer>;
  post(path: string, body: object, credential?: Credential): Promise<Answer>;
}

const LIMIT_MS = 10_000;

export function createApiClient(url: string, stopping: AbortSignal): ApiClient {
  async function call(method: string, path: string, credential?: Credential, body?: object): Promise<Answer> {
    const headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
    if (credential && 'apiKey' in credential) headers['x-api-key'] = credential.apiKey;
    if (credential && 'token' in credential) headers.authorization = `Bearer ${credential.token}`;
    try {
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(LIMIT_MS)]);
      const init = { method, headers, signal, ...(body && { body: JSON.stringify(body) }) };
      const response = await fetch(`${url}${path}`, init);
      return { status: response.status, body: await response.json() };
    } catch (error) {
      throw new PlainError(`${method} ${path} failed: ${reasonOf(error)}.`, { cause: error });
    }
  }
  return {
    url,
    get: (path, credential) => call('GET', path, credential),
    post: (path, body, credential) => call('POST', path, credential, body),
  };
}

/** The text at a path of the body. Throws PlainError, with the answer, if the status differs or there is no text. */
export function textOf(answer: Answer, status: number, ...path: string[]): string {
  const value = answer.status === status ? path.reduce(fieldOf, answer.body) : undefined;
  if (typeof value === 'string') return value;
  throw new PlainError(`Unexpected answer of the API: ${answer.status} ${JSON.stringify(answer.body).slice(0, 500)}`);
}

export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
}
