import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from '../generated/api.js';
import type { Session } from '../session/session.js';
import { toApiError, unreachable } from './api-error.js';

/** The API client, typed by the OpenAPI document: `await take(api.GET('/jobs/{id}', { params: { path: { id } } }))`. */
export type Api = Client<paths>;

/** The schemas of the OpenAPI document, by name. */
export type Schemas = components['schemas'];

/**
 * Creates a client that sends the session's token. If the API rejects the token, the sign-in dialog opens over the
 * page, and the request is repeated after the user has signed in. The caller only notices the delay. Every other error
 * response is thrown as an ApiError.
 */
export function createApi(session: Session): Api {
  return createClient<paths>({ baseUrl: location.origin, fetch: (request) => fetchAs(session, request) });
}

/** One page of a list. */
export interface Page<T> {
  items: T[];
  /** The cursor of the next page; null on the last page. */
  next: string | null;
}

/** Returns the body of a successful call. */
export async function take<T>(call: Promise<{ data?: T }>): Promise<Exclude<T, undefined>> {
  const { data } = await call;
  return data as Exclude<T, undefined>; // absent only if the response has no body; an error response has already thrown
}

/** Returns one page of a list, with the cursor from the headers. */
export async function takePage<T>(call: Promise<{ data?: T[]; response: Response }>): Promise<Page<T>> {
  const { data = [], response } = await call;
  const isLast = !response.headers.get('Link')?.includes('rel="next"');
  return { items: data, next: isLast ? null : response.headers.get('X-Next-Cursor') };
}

/** Sends a request with the same rules, for responses that are not JSON: event streams and files. */
export async function fetchAs(session: Session, request: Request): Promise<Response> {
  const token = session.token();
  const response = await send(request.clone(), token);
  if (response.ok) return response;
  const error = await toApiError(response);
  // `invalid_credentials` is also a 401, but it concerns the password in the request.
  if (error.code !== 'unauthenticated' || token === null) throw error;
  const repeated = await send(request, await session.renew(token));
  if (!repeated.ok) throw await toApiError(repeated);
  return repeated;
}

async function send(request: Request, token: string | null): Promise<Response> {
  if (token !== null) request.headers.set('Authorization', `Bearer ${token}`);
  try {
    return await fetch(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw unreachable(error);
  }
}
