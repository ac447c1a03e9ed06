import type { HttpClient } from '../http/http-client.js';
import type { BodyOf, OutputOf } from '../operations.js';
import type { RequestOptions } from '../options.js';

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
