import { PlainError, reasonOf } from '../processes/plain-error.js';

export interface Answer {
  status: number;
  body: unknown;
}

export type Credential = { apiKey: string } | { token: string } | undefined;

/** The demo uses the service as anybody would: by its HTTP API. */
export interface ApiClient {
  url: string;
  get(path: string, credential: Credential): Promise<Answer>;
  post(path: string, body: object, credential?: Credential): Promise<Answer>;
}

const LIMIT_MS = 10_000;

export function createApiClient(url: string, stopping: AbortSignal): ApiClient {
  async function call(path: string, init: RequestInit): Promise<Answer> {
    try {
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(LIMIT_MS)]);
      const response = await fetch(`${url}${path}`, { ...init, signal });
      return { status: response.status, body: await response.json() };
    } catch (error) {
      throw new PlainError(`${init.method} ${path} was not answered: ${reasonOf(error)}.`, { cause: error });
    }
  }
  return {
    url,
    get: (path, credential) => call(path, { method: 'GET', headers: headersFor(credential) }),
    post: (path, body, credential) =>
      call(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headersFor(credential) },
        body: JSON.stringify(body),
      }),
  };
}

/** The text at a path of an answer's body. Throws, with the answer, if the status is another or there is none. */
export function textOf(answer: Answer, status: number, ...path: string[]): string {
  let value: unknown = answer.status === status ? answer.body : undefined;
  for (const key of path) {
    value = typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(key) : undefined;
  }
  if (typeof value !== 'string') {
    throw new PlainError(`The API answered ${answer.status} ${JSON.stringify(answer.body).slice(0, 500)}.`);
  }
  return value;
}

function headersFor(credential: Credential): Record<string, string> {
  if (!credential) return {};
  return 'apiKey' in credential ? { 'x-api-key': credential.apiKey } : { authorization: `Bearer ${credential.token}` };
}
