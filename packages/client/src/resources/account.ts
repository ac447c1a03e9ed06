import type { HttpClient } from '../http/http-client.js';
import type { BodyOf, OutputOf, QueryOf } from '../operations.js';
import type { RequestOptions } from '../options.js';
import type { ApiKey, Erasure, NewApiKey, Page, Settings as SettingsOfOrganization } from '../types.js';

/** Sessions of people. `login` needs no credential; the others need the token that it returns. */
export class Auth {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /** Resolves with the `token` for another client. */
  login(credentials: BodyOf<'login'>, options?: RequestOptions): Promise<OutputOf<'login'>> {
    return this.#client.call('login', { body: credentials }, options);
  }

  /** Ends the session. */
  logout(options?: RequestOptions): Promise<void> {
    return this.#client.call('logout', {}, options);
  }

  /** The user, the organization of the session, and all organizations of the user. */
  me(options?: RequestOptions): Promise<OutputOf<'me'>> {
    return this.#client.call('me', {}, options);
  }
}

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

  /** Changes what is given. It applies within five seconds. */
  change(id: string, changes: BodyOf<'changeApiKey'>, options?: RequestOptions): Promise<ApiKey> {
    return this.#client.call('changeApiKey', { path: { id }, body: changes }, options);
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

/** The settings of the organization. They need the token of a session. */
export class Settings {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  get(options?: RequestOptions): Promise<SettingsOfOrganization> {
    return this.#client.call('getSettings', {}, options);
  }

  /** The latest alerts, the open ones first. */
  alerts(options?: RequestOptions): Promise<OutputOf<'listAlerts'>> {
    return this.#client.call('listAlerts', {}, options);
  }

  /** Sends a test alert to all who would get a real one. Resolves with what is sent where. */
  testAlerts(options?: RequestOptions): Promise<OutputOf<'testAlerts'>> {
    return this.#client.call('testAlerts', {}, options);
  }

  /** Changes the given settings. */
  update(changes: BodyOf<'changeSettings'>, options?: RequestOptions): Promise<SettingsOfOrganization> {
    return this.#client.call('changeSettings', { body: changes }, options);
  }
}

/** Erasures of everything about an address or a key. They need the token of a session. */
export class Erasures {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /** Resolves when the erasure is stored. It begins at once. */
  create(erased: BodyOf<'startErasure'>, options?: RequestOptions): Promise<Erasure> {
    return this.#client.call('startErasure', { body: erased }, options);
  }

  get(id: string, options?: RequestOptions): Promise<Erasure> {
    return this.#client.call('getErasure', { path: { id } }, options);
  }

  list(query: QueryOf<'listErasures'> = {}, options?: RequestOptions): Promise<Page<Erasure>> {
    return this.#client.page('listErasures', { query }, options);
  }
}
