import { type HttpClient, listAll } from '../http/http-client.js';
import type { BodyOf, InputOf, ItemOf, OperationId, OutputOf, QueryOf } from '../operations.js';
import type { RequestOptions } from '../options.js';
import type { Page } from '../types.js';

/** Only operations that accept this input. */
type Taking<Id extends OperationId, Input> = Input extends InputOf<Id> ? Id : never;
type WithId = { path: { id: string } };

type Plain<Id extends OperationId> = (options?: RequestOptions) => Promise<OutputOf<Id>>;
type WithBody<Id extends OperationId> = (body: BodyOf<Id>, options?: RequestOptions) => Promise<OutputOf<Id>>;
type ById<Id extends OperationId> = (id: string, options?: RequestOptions) => Promise<OutputOf<Id>>;
type ByIdWithBody<Id extends OperationId> = (
  id: string,
  body: BodyOf<Id>,
  options?: RequestOptions,
) => Promise<OutputOf<Id>>;
type PageOf<Id extends OperationId> = (query?: QueryOf<Id>, options?: RequestOptions) => Promise<Page<ItemOf<Id>>>;
type PageById<Id extends OperationId> = (
  id: string,
  query?: QueryOf<Id>,
  options?: RequestOptions,
) => Promise<Page<ItemOf<Id>>>;
type AllOf<Id extends OperationId> = (
  query?: QueryOf<Id>,
  options?: RequestOptions,
) => AsyncGenerator<ItemOf<Id>, void, undefined>;

/** What a client can do with one kind of thing. It makes the methods that only pass on their arguments to an operation. */
export class Resource {
  protected readonly client: HttpClient;

  constructor(client: HttpClient) {
    this.client = client;
  }

  protected plain<Id extends OperationId>(operation: Taking<Id, object>): Plain<Id> {
    return (options) => this.#call<Id>(operation, {}, options);
  }

  protected withBody<Id extends OperationId>(operation: Taking<Id, { body: BodyOf<Id> }>): WithBody<Id> {
    return (body, options) => this.#call<Id>(operation, { body }, options);
  }

  protected byId<Id extends OperationId>(operation: Taking<Id, WithId>): ById<Id> {
    return (id, options) => this.#call<Id>(operation, { path: { id } }, options);
  }

  protected byIdWithBody<Id extends OperationId>(
    operation: Taking<Id, WithId & { body: BodyOf<Id> }>,
  ): ByIdWithBody<Id> {
    return (id, body, options) => this.#call<Id>(operation, { path: { id }, body }, options);
  }

  /** One page of a list. */
  protected pageOf<Id extends OperationId>(operation: Taking<Id, object>): PageOf<Id> {
    return (query, options) => this.#page<Id>(operation, { query }, options);
  }

  /** One page of a list of what belongs to something. */
  protected pageById<Id extends OperationId>(operation: Taking<Id, WithId>): PageById<Id> {
    return (id, query, options) => this.#page<Id>(operation, { path: { id }, query }, options);
  }

  /** All rows of a list. `limit` is the size of the pages that are read. */
  protected allOf<Id extends OperationId>(list: () => PageOf<Id>): AllOf<Id> {
    // The cast: every list of pages accepts a cursor.
    return (query, options) => listAll((next) => list()({ ...query, ...next } as QueryOf<Id>, options));
  }

  // The casts: the functions above take only operations that accept their input.
  #call<Id extends OperationId>(operation: Id, input: unknown, options?: RequestOptions): Promise<OutputOf<Id>> {
    return this.client.call(operation, input as InputOf<Id>, options);
  }

  #page<Id extends OperationId>(operation: Id, input: unknown, options?: RequestOptions): Promise<Page<ItemOf<Id>>> {
    return this.client.page(operation, input as InputOf<Id>, options);
  }
}
