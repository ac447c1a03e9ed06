import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from '../generated/api.js';
import type { Session } from '../session/session.js';
import { toApiError, unreachable } from './api-error.js';

/** The API, typed by its own document. `await take(api.GET('/jobs/{id}', { params: { path: { id } } }))`. */
export type Api = Client<paths>;

/** What the API sends and takes, by the names of its document. */
export type Schemas = components['schemas'];

/**
 * Sends the session's token. A refused one opens the sign-in dialog over the mounted page and, once somebody has signed
 * in, repeats the request, so its caller notices nothing but the wait. Whatever is no success is thrown as an ApiError.
 */
export function createApi(session: Session): Api {
  return createClient<paths>({ baseUrl: location.origin, fetch: (request) => fetchAs(session, request) });
}

/** A page of a list. */
export interface Page<T> {
  items: T[];
  /** What the next page is asked for with; null on the last one. */
  next: string | null;
}

/** The body of a call. */
export async function take<T>(call: Promise<{ data?: T }>): Promise<Exclude<T, undefined>> {
  const { data } = await call;
  return data as Exclude<T, undefined>; // absent only where a call answers with no body, or was refused: then it has thrown
}

/** The page of a list, with the cursor that its headers carry. */
export async function takePage<T>(call: Promise<{ data?: T[]; response: Response }>): Promise<Page<T>> {
  const { data = [], response } = await call;
  const isLast = !response.headers.get('Link')?.includes('rel="next"');
  return { items: data, next: isLast ? null : response.headers.get('X-Next-Cursor') };
}

/** The same rules for what is no JSON: event streams and files. */
export async function fetchAs(session: Session, request: Request): Promise<Response> {
  const token = session.token();
  const response = await send(request.clone(), token);
  if (response.ok) return response;
  const error = await toApiError(response);
  // `invalid_credentials` is a 401 too, and means the password in the request.
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
