import {
  AppError,
  hasRight,
  type OrgId,
  type Right,
  type Role,
  type Scope,
  type UserId,
  type VisibleTypes,
} from '@jobline/contracts';

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
  readonly types: VisibleTypes;
}

/** The authenticated caller of a request. */
export type Principal = UserPrincipal | KeyPrincipal;

/** Throws `forbidden` if the caller's role, or the scopes of its key, do not allow the endpoint. */
export function authorize(
  principal: Principal,
  { auth, right }: { auth: 'none' | 'bearer' | Scope; right?: Right | undefined },
): void {
  if (right && !hasRight(principal.role, right)) throw forbidden(`The role ${principal.role} does not allow this.`);
  if (principal.kind === 'user' || auth === 'none' || auth === 'bearer' || principal.scopes.includes(auth)) return;
  throw forbidden(`This API key does not have the scope ${auth}.`);
}

export function forbidden(message: string): AppError {
  return new AppError('forbidden', message);
}
