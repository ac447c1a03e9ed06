import type { HttpClient } from '../http/http-client.js';
import type { BodyOf } from '../operations.js';
import type { RequestOptions } from '../options.js';
import type { Settings as SettingsOfOrganization } from '../types.js';

/** The settings of the organization. They need the token of a session. */
export class Settings {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  get(options?: RequestOptions): Promise<SettingsOfOrganization> {
    return this.#client.call('getSettings', {}, options);
  }

  /** Changes the given settings. */
  update(changes: BodyOf<'changeSettings'>, options?: RequestOptions): Promise<SettingsOfOrganization> {
    return this.#client.call('changeSettings', { body: changes }, options);
  }
}
