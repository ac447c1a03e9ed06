import type { Role } from '@jobline/contracts';
import type { Organization } from './organization.js';

/** Sessions of an organization's staff that many requests share. */
export interface Sessions {
  /** The headers of a role's session: the same until `forget` is called. */
  sessionOf(role: Role): Promise<Record<string, string>>;
  /** Makes the next sessions new ones, because a request may have ended those before. */
  forget(): void;
}

export function keepSessions(of: Organization): Sessions {
  const begun = new Map<Role, Promise<Record<string, string>>>();
  return {
    sessionOf(role) {
      const session = begun.get(role) ?? of.sessionOf(role);
      begun.set(role, session);
      return session;
    },
    forget: () => begun.clear(),
  };
}
