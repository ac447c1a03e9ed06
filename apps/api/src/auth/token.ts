import { createSecretKey, type KeyObject } from 'node:crypto';
import { type OrgId, ROLES, type Role, type UserId } from '@jobline/contracts';
import { createRecent, isUuid, newId } from '@jobline/runtime';
import jwt from 'jsonwebtoken';

/** A session about to be opened: its id becomes the `sid` claim, its end the token's. */
export interface NewSession {
  id: string;
  expiresAt: Date;
}

/** Whom a token speaks for. The role is for clients to read; the database decides. */
export interface Bearer {
  userId: UserId;
  orgId: OrgId;
  role: Role;
}

export interface Claims extends Bearer {
  sessionId: string;
  expiresAt: Date;
}

export interface Tokens {
  newSession(): NewSession;
  issue(session: NewSession, bearer: Bearer): string;
  /** Null for whatever this service did not sign, has expired or says too little. */
  verify(token: string): Claims | null;
}

export function createTokens(options: { secret: string; ttlMs: number }): Tokens {
  // Made once: the library would read a text as a key of every other kind first, each time.
  const key = createSecretKey(options.secret, 'utf8');
  // Checking a signature costs more than all else that a small request does.
  const verified = createRecent<Claims>({ ttlMs: 5_000, maxEntries: 10_000 });
  return {
    // Whole seconds, as tokens count.
    newSession: () => ({ id: newId(), expiresAt: new Date(Math.floor((Date.now() + options.ttlMs) / 1000) * 1000) }),

    issue({ id, expiresAt }, { userId, orgId, role }) {
      // Not left to the library: it would look at the clock a second time, and perhaps in the next second. Of a
      // session that was switched to it is when its user signed in.
      const iat = Math.floor((expiresAt.getTime() - options.ttlMs) / 1000);
      const claims = { sub: userId, org: orgId, role, sid: id, iat, exp: expiresAt.getTime() / 1000 };
      return jwt.sign(claims, key, { algorithm: 'HS256' });
    },

    verify(token) {
      let claims = verified.get(token) ?? null;
      if (!claims) {
        claims = check(token, key);
        if (claims) verified.set(token, claims);
      }
      return claims && claims.expiresAt.getTime() > Date.now() ? claims : null;
    },
  };
}

function check(token: string, key: KeyObject): Claims | null {
  try {
    // The list of algorithms is the guard against `none` and against keys used for the wrong algorithm.
    return readClaims(jwt.verify(token, key, { algorithms: ['HS256'] }));
  } catch {
    // Whatever it throws (for some malformed texts JSON.parse's own error), this is no token of ours.
    return null;
  }
}

function readClaims(claims: jwt.JwtPayload | string): Claims | null {
  if (typeof claims === 'string') return null;
  const { sub, org, role, sid, exp } = claims;
  const known = ROLES.find((name) => name === role);
  if (!isUuid(sub) || !isUuid(org) || !isUuid(sid) || !known || exp === undefined) return null;
  return {
    // The casts: UUIDs, which we signed as these.
    userId: sub as UserId,
    orgId: org as OrgId,
    role: known,
    sessionId: String(sid),
    expiresAt: new Date(exp * 1000),
  };
}
