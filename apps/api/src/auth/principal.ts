import type { OrgId, Role, UserId } from '@jobline/contracts';

/** A person, signed in to one of their organizations. */
export interface UserPrincipal {
  readonly kind: 'user';
  readonly orgId: OrgId;
  readonly userId: UserId;
  /** As the database has it, which may be newer than the token. */
  readonly role: Role;
  readonly sessionId: string;
}

/** A program with an API key: an organization's member without a name. */
export interface KeyPrincipal {
  readonly kind: 'key';
  readonly orgId: OrgId;
  readonly keyId: string;
  readonly role: 'member';
}

/** Who is calling. */
export type Principal = UserPrincipal | KeyPrincipal;
