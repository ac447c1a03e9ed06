import type { OrgId, Role, Scope, UserId } from '@jobline/contracts';

/** A user who is signed in to one of their organizations. */
export interface UserPrincipal {
  readonly kind: 'user';
  readonly orgId: OrgId;
  readonly userId: UserId;
  /** The role in the database, which may be newer than the one in the token. */
  readonly role: Role;
  readonly sessionId: string;
  /** A user may submit and see all job types. */
  readonly types: null;
}

/** A program with an API key. It has the rights of a member, at the endpoints of its scopes. */
export interface KeyPrincipal {
  readonly kind: 'key';
  readonly orgId: OrgId;
  readonly keyId: string;
  readonly role: 'member';
  readonly scopes: readonly Scope[];
  /** The job types that it may submit and see; null: all. */
  readonly types: VisibleTypes;
}

/** The job types that a caller may submit and see, in alphabetical order; null: all. */
export type VisibleTypes = readonly string[] | null;

/** The authenticated caller of a request. */
export type Principal = UserPrincipal | KeyPrincipal;
