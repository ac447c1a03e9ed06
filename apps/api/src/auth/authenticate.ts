import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { API_KEY_ROLE, type Scope } from '@jobline/contracts';
import { type Db, findApiKey, findSession, noteApiKeyUse } from '@jobline/db';
import { createLookup, createRecent, type Logger } from '@jobline/runtime';
import type { Background } from '../background.js';
import { unauthenticated } from '../http/errors.js';
import type { CredentialLimits } from '../rate-limits/guess-limits.js';
import { apiKeyHash } from './api-key.js';
import type { KeyPrincipal, Principal, UserPrincipal } from './authorize.js';
import type { Tokens } from './token.js';

/** Which credentials an endpoint accepts: session tokens, and API keys if it is the endpoint of a scope. */
export type Accepts = 'bearer' | Scope;

/** Authenticates requests. No other code reads credentials. */
export interface Credentials {
  /**
   * Throws `unauthenticated` unless every credential of the request is valid and one of them is accepted. The scopes of a key
   * are not checked here. A wrong credential counts
   * towards the limit of its address, if `ipOf` is given. Beyond the limit, a wrong credential is `rate_limited`, and so is,
   * without a query, a key that was not recently valid. Valid credentials are always accepted.
   */
  authenticate(headers: IncomingHttpHeaders, accepts: Accepts, ipOf?: () => string | undefined): Promise<Principal>;
  /** Rejects an ended session from now on: immediately in this process, within five seconds in others. */
  forgetSession(id: string): void;
  /** Reads a revoked or rotated key again, in the same way. */
  forgetApiKey(keyHash: Buffer): void;
}

type IpOf = (() => string | undefined) | undefined;

const RECENT = { ttlMs: 5_000, maxEntries: 10_000 };
const NOTE_USE_EVERY_MS = 60_000;
/** How long a key that was valid is looked up again, even if its address is over the limit. */
const KNOWN_FOR_MS = 3_600_000;
const BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i;

export function createCredentials(deps: {
  db: Db;
  tokens: Tokens;
  log: Logger;
  limits: CredentialLimits;
  background: Background;
}): Credentials {
  const { db, tokens, log, limits, background } = deps;
  const sessions = createLookup({ ...RECENT, load: (id) => findSession(db, id) });
  const apiKeys = createLookup({ ...RECENT, load: (keyHash) => findApiKey(db, Buffer.from(keyHash, 'hex')) });
  const knownKeys = createRecent<true>({ ttlMs: KNOWN_FOR_MS, maxEntries: RECENT.maxEntries });
  const wrong = createRecent<true>(RECENT);
  const noted = createRecent<true>({ ttlMs: NOTE_USE_EVERY_MS, maxEntries: RECENT.maxEntries });

  async function userOf(authorization: string): Promise<UserPrincipal | null> {
    const token = BEARER.exec(authorization)?.[1];
    const claims = token === undefined ? null : tokens.verify(token);
    const session = claims && (await sessions.get(claims.sessionId));
    if (!session || session.userId !== claims.userId || session.orgId !== claims.orgId) return null;
    return { kind: 'user', ...session, sessionId: claims.sessionId, types: null };
  }

  async function programOf(text: string, ipOf: IpOf): Promise<KeyPrincipal | null> {
    const keyHash = apiKeyHash(text)?.toString('hex');
    if (keyHash === undefined) return null;
    if (ipOf && !apiKeys.has(keyHash) && !knownKeys.get(keyHash)) limits.check(ipOf());
    const key = await apiKeys.get(keyHash);
    if (!key || (key.expiresAt && key.expiresAt.getTime() <= Date.now())) return null;
    noteUse(key.id, keyHash);
    const { id: keyId, orgId, scopes, types } = key;
    return { kind: 'key', orgId, keyId, role: API_KEY_ROLE, scopes, types };
  }

  /** Counts a credential once while it is remembered, so that a program with a revoked key does not exhaust the limit. */
  function countWrong(credential: string, ipOf: IpOf): void {
    const id = hash('sha256', credential, 'base64url');
    if (!ipOf || wrong.get(id)) return;
    limits.check(ipOf());
    limits.count(ipOf());
    wrong.set(id, true);
  }

  /** Not awaited: the caller must not wait for the update of the key's last use. */
  function noteUse(keyId: string, keyHash: string): void {
    if (noted.get(keyId)) return;
    noted.set(keyId, true);
    knownKeys.set(keyHash, true);
    background.run(
      noteApiKeyUse(db, keyId, NOTE_USE_EVERY_MS).catch((error: unknown) => {
        log.warn('failed to record the use of an API key', { key_id: keyId, error });
      }),
    );
  }

  return {
    async authenticate({ authorization, 'x-api-key': apiKey }, accepts, ipOf) {
      const user = authorization === undefined ? undefined : await userOf(authorization);
      if (user === null) countWrong(String(authorization), ipOf);
      const program = apiKey === undefined ? undefined : await programOf(String(apiKey), ipOf);
      if (program === null) countWrong(String(apiKey), ipOf);
      if (user === null || program === null) throw unauthenticated();
      if (user && program && user.orgId !== program.orgId) throw unauthenticated();
      const principal = user ?? (accepts === 'bearer' ? undefined : program);
      if (!principal) throw unauthenticated();
      return principal;
    },
    forgetSession: sessions.forget,
    forgetApiKey(keyHash) {
      apiKeys.forget(keyHash.toString('hex'));
      knownKeys.delete(keyHash.toString('hex'));
    },
  };
}
