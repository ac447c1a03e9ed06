import { checkAnswer } from './answer-check.js';

/** An HTTP response with its parsed JSON. */
export interface Answered {
  status: number;
  headers: Headers;
  text: string;
  bytes: Uint8Array;
  /** The parsed body. Tests access the fields that they expect. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads
  body: any;
}

export interface CallOptions {
  token?: string;
  key?: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged, instead of `body`. */
  raw?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

/** Sends a request to an API. A response that differs from the API's own document fails the test. */
export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answered>;

export function createCall(baseUrl: string): Call {
  return async (method, path, { token, key, body, raw, headers = {} } = {}) => {
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(baseUrl + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(content !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(key !== undefined && { 'x-api-key': key }),
        ...headers,
      },
      ...(content !== undefined && { body: content }),
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const answer = { status: response.status, headers: response.headers, text: new TextDecoder().decode(bytes) };
    checkAnswer(method, path, answer);
    return { ...answer, bytes, body: parsed(answer.text) };
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a response without a JSON body
  }
}

/** A person who has registered an organization. */
export interface Person {
  token: string;
  orgId: string;
  email: string;
  password: string;
  get(path: string, options?: CallOptions): Promise<Answered>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<Answered>;
  put(path: string, body: unknown): Promise<Answered>;
  patch(path: string, body: unknown): Promise<Answered>;
  delete(path: string): Promise<Answered>;
}

let people = 0;

/** Registers a new organization, with a generated name if none is given. */
export async function register(call: Call, names: { orgName?: string; email?: string } = {}): Promise<Person> {
  people++;
  const { orgName = `Org ${people}`, email = `owner-${process.pid}-${people}@example.com` } = names;
  const password = 'correct horse battery';
  const answer = await call('POST', '/auth/register', { body: { org_name: orgName, email, password } });
  if (answer.status !== 201) throw new Error(`register: ${answer.status} ${answer.text}`);
  const token: string = answer.body.token;
  return {
    token,
    orgId: answer.body.org.id,
    email,
    password,
    ...callsAs(call, token),
  };
}

/** The calls of a signed-in user. */
export function callsAs(call: Call, token: string): Pick<Person, 'get' | 'post' | 'put' | 'patch' | 'delete'> {
  return {
    get: (path, options) => call('GET', path, { token, ...options }),
    post: (path, body, options) => call('POST', path, { token, ...(body !== undefined && { body }), ...options }),
    put: (path, body) => call('PUT', path, { token, body }),
    patch: (path, body) => call('PATCH', path, { token, body }),
    delete: (path) => call('DELETE', path, { token }),
  };
}
