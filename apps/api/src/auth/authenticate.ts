import type { IncomingHttpHeaders } from 'node:http';
import { type Db, findApiKey, findSession, noteApiKeyUse } from '@jobline/db';
import { createLookup, createRecent, type Logger } from '@jobline/runtime';
import { unauthenticated } from '../http/refusals.js';
import { apiKeyHash } from './api-key.js';
import type { KeyPrincipal, Principal, UserPrincipal } from './principal.js';
import type { Tokens } from './token.js';

/** Which credentials an endpoint accepts. */
export type Accepts = 'bearer' | 'bearer-or-key';

/** The only place where credentials are read. */
export interface Credentials {
  /** Throws `unauthenticated` unless every credential that was sent is valid and one of them is accepted. */
  authenticate(headers: IncomingHttpHeaders, accepts: Accepts): Promise<Principal>;
  /** A session that has ended is refused at once in this process, within five seconds in others. */
  forgetSession(id: string): void;
  /** The same of a revoked key. */
  forgetApiKey(hash: Buffer): void;
}

const RECENT = { ttlMs: 5_000, maxEntries: 10_000 };
const NOTE_USE_EVERY_MS = 60_000;
const BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i;

export function createCredentials(deps: { db: Db; tokens: Tokens; log: Logger }): Credentials {
  const { db, tokens, log } = deps;
  const sessions = createLookup({ ...RECENT, load: (id) => findSession(db, id) });
  const apiKeys = createLookup({ ...RECENT, load: (hash) => findApiKey(db, Buffer.from(hash, 'hex')) });
  const noted = createRecent<true>({ ttlMs: NOTE_USE_EVERY_MS, maxEntries: RECENT.maxEntries });

  async function userOf(authorization: string): Promise<UserPrincipal | null> {
    const token = BEARER.exec(authorization)?.[1];
    const claims = token === undefined ? null : tokens.verify(token);
    const session = claims && (await sessions.get(claims.sessionId));
    if (!session || session.userId !== claims.userId || session.orgId !== claims.orgId) return null;
    return { kind: 'user', ...session, sessionId: claims.sessionId };
  }

  async function programOf(text: string): Promise<KeyPrincipal | null> {
    const hash = apiKeyHash(text);
    const key = hash && (await apiKeys.get(hash.toString('hex')));
    if (!key) return null;
    noteUse(key.id);
    return { kind: 'key', orgId: key.orgId, keyId: key.id, role: 'member' };
  }

  /** Not awaited: when a key was last used is no reason to keep its caller waiting. */
  function noteUse(keyId: string): void {
    if (noted.get(keyId)) return;
    noted.set(keyId, true);
    noteApiKeyUse(db, keyId, NOTE_USE_EVERY_MS).catch((error: unknown) => {
      log.warn('the use of an API key was not noted', { key_id: keyId, error });
    });
  }

  return {
    async authenticate({ authorization, 'x-api-key': apiKey }, accepts) {
      const user = authorization === undefined ? undefined : await userOf(authorization);
      const program = apiKey === undefined ? undefined : await programOf(String(apiKey));
      if (user === null || program === null) throw unauthenticated();
      if (user && program && user.orgId !== program.orgId) throw unauthenticated();
      const principal = user ?? (accepts === 'bearer-or-key' ? program : undefined);
      if (!principal) throw unauthenticated();
      return principal;
    },
    forgetSession: sessions.forget,
    forgetApiKey: (hash) => apiKeys.forget(hash.toString('hex')),
  };
}
