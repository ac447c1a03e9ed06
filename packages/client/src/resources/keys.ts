import type { HttpClient } from '../http/http-client.js';
import type { BodyOf, QueryOf } from '../operations.js';
import type { RequestOptions } from '../options.js';
import type { ApiKey, NewApiKey, Page } from '../types.js';

/** The API keys of the organization. They need the token of a session. */
export class Keys {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  list(query: QueryOf<'listApiKeys'> = {}, options?: RequestOptions): Promise<Page<ApiKey>> {
    return this.#client.page('listApiKeys', { query }, options);
  }

  /** Only this response has the `key`. */
  create(key: BodyOf<'createApiKey'>, options?: RequestOptions): Promise<NewApiKey> {
    return this.#client.call('createApiKey', { body: key }, options);
  }

  /** Replaces a key with a new one. The old one works for `overlap_hours`, usually 24. Only this response has the `key`. */
  rotate(id: string, overlap: BodyOf<'rotateApiKey'> = {}, options?: RequestOptions): Promise<NewApiKey> {
    return this.#client.call('rotateApiKey', { path: { id }, body: overlap }, options);
  }

  /** Revokes a key. */
  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.#client.call('deleteApiKey', { path: { id } }, options);
  }
}
