import { OPERATIONS, type Operation } from '../generated/operations.js';
import { invalidOptions, JoblineError } from '../jobline-error.js';
import type { Connection } from '../options.js';

/** The input of any operation. */
export interface AnyInput {
  path?: Readonly<Record<string, unknown>>;
  query?: Readonly<Record<string, unknown>>;
  /** Sent as JSON. */
  body?: unknown;
  /** JSON that is sent unchanged, instead of `body`. */
  json?: string;
  /** A file that is sent unchanged, in place of JSON. */
  content?: Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | string;
  headers?: Readonly<Record<string, string>>;
}

/** A request that can be sent several times. */
export interface PreparedRequest {
  url: string;
  init: {
    method: string;
    headers: Record<string, string>;
    redirect: 'manual';
    body?: NonNullable<AnyInput['content']>;
  };
}

export function prepareRequest(
  { baseUrl, credential }: Connection,
  operation: Operation,
  { path = {}, query = {}, body, json = JSON.stringify(body), content, headers }: AnyInput,
): PreparedRequest {
  return {
    url: `${baseUrl}${fillPath(operation, path)}${toQuery(query)}`,
    init: {
      method: operation.method,
      // A redirect to another host would get the API key.
      redirect: 'manual',
      headers: {
        accept: 'application/json',
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(credential && { [credential.header[0]]: credential.header[1] }),
        ...headers,
      },
      ...(json !== undefined && { body: json }),
      ...(content !== undefined && { body: content }),
    },
  };
}

/** `/jobs/{id}` with the id of a job. */
function fillPath(operation: Operation, values: Readonly<Record<string, unknown>>): string {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = values[name];
    // URLs have no such segments: the request would reach another path.
    if (typeof value !== 'string' || value === '' || value === '.' || value === '..')
      throw invalidOptions(`${name} must be a text that is not empty; it is ${JSON.stringify(value)}.`);
    return encodeURIComponent(value);
  });
  // An id such as `events` is a path of its own, so nothing can have this id.
  if (filled !== operation.path && Object.values(OPERATIONS).some(({ path }) => path === filled))
    throw new JoblineError({ code: 'not_found', status: 404, message: `Not found: ${filled} is not an id.` });
  return filled;
}

function toQuery(query: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined) parameters.append(name, String(one));
  }
  return parameters.size > 0 ? `?${parameters}` : '';
}

const BYTES = 16;

/** `crypto.randomUUID` exists only on pages that were loaded over https. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** `fetch` would report other characters as a failed connection. */
export function checkIdempotencyKey(key: string): void {
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw invalidOptions('idempotencyKey must have 1 to 255 visible ASCII characters, and no spaces.');
}
