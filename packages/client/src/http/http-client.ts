import { OPERATIONS, type Operation } from '../generated/operations.js';
import { JoblineError } from '../jobline-error.js';
import type { InputOf, ItemOf, OperationId, OutputOf } from '../operations.js';
import { type Connection, checkRetries, checkTimeout, type RequestOptions } from '../options.js';
import type { Page } from '../types.js';
import {
  type AnyInput,
  checkIdempotencyKey,
  newIdempotencyKey,
  type PreparedRequest,
  prepareRequest,
} from './request.js';
import { toError, unexpected, unreachable } from './response-error.js';
import { retryDelayMs } from './retry.js';
import { pause, withTimeLimit } from './time-limit.js';

/** Calls the operations of the API document, with the retries that are safe. */
export interface HttpClient {
  call<O extends OperationId>(operation: O, input: InputOf<O>, options?: RequestOptions): Promise<OutputOf<O>>;
  /** One page of a list. */
  page<O extends OperationId>(operation: O, input: InputOf<O>, options?: RequestOptions): Promise<Page<ItemOf<O>>>;
  /** A response whose body is not JSON. The time limit applies until it begins, and the signal until it ends. */
  open<O extends OperationId>(operation: O, input: OpenInput<O>, options?: RequestOptions): Promise<Response>;
  /** Sends a file. */
  upload<O extends OperationId>(
    operation: O,
    input: OpenInput<O> & Required<Pick<AnyInput, 'content'>>,
    options?: RequestOptions,
  ): Promise<OutputOf<O>>;
  /** Calls an operation with a body that is JSON already. */
  callWithJson<O extends OperationId>(operation: O, json: string, options?: RequestOptions): Promise<OutputOf<O>>;
}

/** The input of an operation, with headers such as `accept`. */
export type OpenInput<O extends OperationId> = InputOf<O> & Pick<AnyInput, 'headers'>;

export function createHttpClient(connection: Connection): HttpClient {
  // The casts: the API document describes the input and the JSON of each operation, and the types come from it.
  return {
    call: (name, input, options) => send(connection, name, input as AnyInput, options, JSON_BODY) as Promise<never>,
    page: (name, input, options) => send(connection, name, input as AnyInput, options, PAGE) as Promise<never>,
    open: (name, input, options) => send(connection, name, input as AnyInput, options, RESPONSE),
    upload: (name, input, options) => send(connection, name, input as AnyInput, options, JSON_BODY) as Promise<never>,
    callWithJson: (name, json, options) => send(connection, name, { json }, options, JSON_BODY) as Promise<never>,
  };
}

/** Responses that may have no body: something is done, or will be. */
const EMPTY_STATUSES = [202, 204];

interface Result<T> {
  read(response: Response): Promise<T>;
  /** Whether the caller reads the body later. Its signal then ends this too. */
  isOpen?: boolean;
}

const JSON_BODY: Result<unknown> = { read: readJson };
const PAGE: Result<unknown> = { read: readPage };
const RESPONSE: Result<Response> = { read: async (response) => response, isOpen: true };

async function send<T>(
  connection: Connection,
  name: OperationId,
  input: AnyInput,
  options: RequestOptions = {},
  { read, isOpen = false }: Result<T>,
): Promise<T> {
  const { signal, timeoutMs = connection.timeoutMs, maxRetries = connection.maxRetries } = options;
  checkTimeout(timeoutMs);
  checkRetries(maxRetries);
  const operation = OPERATIONS[name];
  const request = prepareRequest(connection, operation, withKey(operation, input, options));
  const onTimeout = () => timedOut(connection, timeoutMs);
  const both = (limited: AbortSignal) => (isOpen && signal ? AbortSignal.any([limited, signal]) : limited);
  for (let retries = 0; ; retries++) {
    try {
      return await withTimeLimit({ timeoutMs, signal, onTimeout }, (limited) =>
        sendOnce(connection, operation, request, { signal: both(limited), isRetry: retries > 0 }, read),
      );
    } catch (error) {
      signal?.throwIfAborted();
      const delayMs = retryDelayMs(error, { retries, maxRetries, isRepeatable: isRepeatable(operation) });
      if (delayMs === null) throw error;
      await pause(delayMs, signal);
    }
  }
}

/** The same key for all tries of a call, so that it is carried out once. */
function withKey({ takesKey }: Operation, input: AnyInput, options: RequestOptions): AnyInput {
  if (!takesKey) return input;
  const { idempotencyKey = newIdempotencyKey() } = options;
  checkIdempotencyKey(idempotencyKey);
  return { ...input, headers: { ...input.headers, 'idempotency-key': idempotencyKey } };
}

/** PUT and DELETE have the same effect once and twice. A change by PATCH may be followed by another one in between. */
function isRepeatable({ method, takesKey }: Operation): boolean {
  return takesKey === true || method === 'GET' || method === 'PUT' || method === 'DELETE';
}

async function sendOnce<T>(
  connection: Connection,
  operation: Operation,
  { url, init }: PreparedRequest,
  { signal, isRetry }: { signal: AbortSignal; isRetry: boolean },
  read: Result<T>['read'],
): Promise<T> {
  const lost = (error: unknown) => {
    if (signal.aborted) throw signal.reason;
    throw error instanceof JoblineError ? error : unreachable(connection, error);
  };
  const response = await connection.fetch(url, { ...init, signal }).catch(lost);
  // The try before this one has deleted it, and its response was lost.
  const isDeleted = isRetry && operation.method === 'DELETE' && response.status === 404;
  if (!response.ok && !isDeleted) throw await toError(response, connection, operation);
  return read(response).catch(lost);
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.ok || (text === '' && EMPTY_STATUSES.includes(response.status))) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unexpected(response, error);
  }
}

async function readPage(response: Response): Promise<Page<unknown>> {
  const data = await readJson(response);
  if (!Array.isArray(data)) throw unexpected(response);
  return { data, nextCursor: response.headers.get('x-next-cursor') };
}

function timedOut({ baseUrl }: Connection, timeoutMs: number): JoblineError {
  const message = `${baseUrl} did not answer within ${timeoutMs} ms. Try again later, or with a larger timeoutMs.`;
  return new JoblineError({ code: 'timeout', message });
}

/** The rows of all pages of a list. Reads a page when its first row is needed. */
export async function* listAll<Item>(
  list: (next: { cursor?: string }) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let next: { cursor?: string } = {};
  for (;;) {
    const { data, nextCursor } = await list(next);
    yield* data;
    if (nextCursor === null) return;
    next = { cursor: nextCursor };
  }
}
