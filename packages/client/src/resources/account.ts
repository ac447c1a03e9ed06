import type { BodyOf } from '../operations.js';
import type { RequestOptions } from '../options.js';
import type { NewApiKey } from '../types.js';
import { Resource } from './resource.js';

/** Sessions of people. `login` needs no credential; the others need the token that it returns. */
export class Auth extends Resource {
  /** Resolves with the `token` for another client. */
  login = this.withBody('login');
  /** Ends the session. */
  logout = this.plain('logout');
  /** The user, the organization of the session, and all organizations of the user. */
  me = this.plain('me');
}

/** The API keys of the organization. They need the token of a session. */
export class Keys extends Resource {
  list = this.pageOf('listApiKeys');
  /** Only this response has the `key`. */
  create = this.withBody('createApiKey');
  /** Changes what is given. It applies within five seconds. */
  change = this.byIdWithBody('changeApiKey');
  /** Revokes a key. */
  delete = this.byId('deleteApiKey');

  /** Replaces a key with a new one. The old one works for `overlap_hours`, usually 24. Only this response has the `key`. */
  rotate(id: string, overlap: BodyOf<'rotateApiKey'> = {}, options?: RequestOptions): Promise<NewApiKey> {
    return this.client.call('rotateApiKey', { path: { id }, body: overlap }, options);
  }
}

/** The settings of the organization. They need the token of a session. */
export class Settings extends Resource {
  get = this.plain('getSettings');
  /** The latest alerts, the open ones first. */
  alerts = this.plain('listAlerts');
  /** Sends a test alert to all who would get a real one. Resolves with what is sent where. */
  testAlerts = this.plain('testAlerts');
  /** Changes the given settings. */
  update = this.withBody('changeSettings');
}

/** Erasures of everything about an address or a key. They need the token of a session. */
export class Erasures extends Resource {
  /** Resolves when the erasure is stored. It begins at once. */
  create = this.withBody('startErasure');
  get = this.byId('getErasure');
  list = this.pageOf('listErasures');
}
