import type { HttpClient } from '../http/http-client.js';
import type { QueryOf } from '../operations.js';
import type { RequestOptions } from '../options.js';
import type { Artifact, Page } from '../types.js';

/** The files that a job has made. */
export class Artifacts {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  list(id: string, query: QueryOf<'listArtifacts'> = {}, options?: RequestOptions): Promise<Page<Artifact>> {
    return this.#client.page('listArtifacts', { path: { id }, query }, options);
  }

  /** The file as a response: read it with `arrayBuffer()`, or as a stream from `body`. */
  download(id: string, name: string, options?: RequestOptions): Promise<Response> {
    const headers = { accept: '*/*' };
    return this.#client.open('getArtifact', { path: { id, name }, headers }, options);
  }
}
