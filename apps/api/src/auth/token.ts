import { createSecretKey, type KeyObject } from 'node:crypto';
import { type OrgId, ROLES, type Role, type UserId } from '@jobline/contracts';
import { createRecent, isUuid, newId } from '@jobline/runtime';
import jwt from 'jsonwebtoken';

/** A new session. Its id becomes the `sid` claim, and the token expires with the session. */
export interface NewSession {
  id: string;
  expiresAt: Date;
}

/** The owner of a token. The role is information for clients; the database decides about rights. */
export interface Bearer {
  userId: UserId;
  orgId: OrgId;
  role: Role;
}

interface Claims extends Bearer {
  sessionId: string;
  expiresAt: Date;
}

export interface Tokens {
  newSession(): NewSession;
  issue(session: NewSession, bearer: Bearer): string;
  /** Null for a text that this service did not sign, for an expired token, and for missing claims. */
  verify(token: string): Claims | null;
}

export function createTokens(options: { secret: string; ttlMs: number }): Tokens {
  // Created once: with a text, the library would try every other kind of key first, each time.
  const key = createSecretKey(options.secret, 'utf8');
  // The check of a signature costs more than everything else in a small request.
  const verified = createRecent<Claims>({ ttlMs: 5_000, maxEntries: 10_000 });
  return {
    // Whole seconds, because tokens have no fractions.
    newSession: () => ({ id: newId(), expiresAt: new Date(Math.floor((Date.now() + options.ttlMs) / 1000) * 1000) }),

    issue({ id, expiresAt }, { userId, orgId, role }) {
      // Not left to the library, which would read the clock again, maybe in the next second. For a session in another
      // organization it is the time when the user signed in.
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
    // The list of algorithms protects against `none` and against keys used with the wrong algorithm.
    return readClaims(jwt.verify(token, key, { algorithms: ['HS256'] }));
  } catch {
    // Every error, including JSON.parse's own error for some malformed texts, means that this is not our token.
    return null;
  }
}

function readClaims(claims: jwt.JwtPayload | string): Claims | null {
  if (typeof claims === 'string') return null;
  const { sub, org, role, sid, exp } = claims;
  const known = ROLES.find((name) => name === role);
  if (!isUuid(sub) || !isUuid(org) || !isUuid(sid) || !known || exp === undefined) return null;
  return {
    // The casts: the service signed these ids.
    userId: sub as UserId,
    orgId: org as OrgId,
    role: known,
    sessionId: String(sid),
    expiresAt: new Date(exp * 1000),
  };
}
