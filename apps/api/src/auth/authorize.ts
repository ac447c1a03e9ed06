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
import { type Db, findJobType, findScheduleType } from '@jobline/db';
import { notFound } from '../http/errors.js';

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
export function authorize(principal: Principal, { auth, right, otherScopes = [] }: ScopedEndpoint): void {
  if (right && !hasRight(principal.role, right)) throw forbidden(`The role ${principal.role} does not allow this.`);
  if (principal.kind === 'user' || auth === 'none' || auth === 'bearer') return;
  const scopes = [auth, ...otherScopes];
  if (scopes.some((scope) => principal.scopes.includes(scope))) return;
  throw forbidden(`This API key does not have the scope ${scopes.join(' or ')}.`);
}

/** What decides who may call an endpoint. */
interface ScopedEndpoint {
  auth: 'none' | 'bearer' | Scope;
  /** Each of them is enough, too. */
  otherScopes?: readonly Scope[];
  right?: Right | undefined;
}

export function forbidden(message: string): AppError {
  return new AppError('forbidden', message);
}

/** Finds the job type of an object, by which a key that is restricted to some job types may see it or not. */
type FindType = (db: Db, orgId: OrgId, id: string) => Promise<string | null>;

/** The job types whose messages the endpoints of a channel send and show. */
export const MESSAGE_TYPES = { chat: 'send_chat_message', email: 'send_email', sms: 'send_sms' } as const;

/** The paths of objects that have a job type. Paths below them belong to the same object. */
const TYPE_OF: Readonly<Record<string, FindType>> = {
  '/jobs/:id': findJobType,
  '/schedules/:id': findScheduleType,
  '/chat/messages/:id': async () => MESSAGE_TYPES.chat,
  '/email/messages/:id': async () => MESSAGE_TYPES.email,
  '/sms/messages/:id': async () => MESSAGE_TYPES.sms,
};

/** A request for an object, as far as the check needs it. */
interface ObjectRequest {
  params: Readonly<Record<string, string>>;
  idempotencyKey: string | undefined;
}

/**
 * Returns the check of the object that a path names: it throws `not_found` if the caller may not see the object's type. A request
 * with an idempotency key passes if there is no such object: it may repeat a request from before the deletion.
 */
export function visibilityCheck(
  path: string,
): (db: Db, principal: Principal, request: ObjectRequest) => Promise<void> | undefined {
  const [, findType] = Object.entries(TYPE_OF).find(([of]) => path === of || path.startsWith(`${of}/`)) ?? [];
  return (db, { orgId, types }, { params: { id = '' }, idempotencyKey }) =>
    findType && types ? requireVisible(findType(db, orgId, id), types, idempotencyKey !== undefined) : undefined;
}

/** Throws `not_found` if the caller may not see a job with this id. */
export async function requireVisibleJob(db: Db, { orgId, types }: Principal, id: string): Promise<void> {
  if (types) await requireVisible(findJobType(db, orgId, id), types, false);
}

/** A job never changes its type, so it can be read before the request is carried out. Changes and runs of schedules check again. */
async function requireVisible(
  finding: Promise<string | null>,
  types: readonly string[],
  mayBeDeleted: boolean,
): Promise<void> {
  const type = await finding;
  if (type === null ? !mayBeDeleted : !types.includes(type)) throw notFound();
}

export function isVisible(types: VisibleTypes, type: string): boolean {
  return types === null || types.includes(type);
}

/** The types that a filter by type selects among those that the caller may see; null: all. */
export function selectTypes(types: VisibleTypes, type: string | undefined): VisibleTypes {
  if (type === undefined) return types;
  return isVisible(types, type) ? [type] : [];
}

/** The error for a job of a type that the key may not submit; null: it may. `path`: the field of the request that has the type. */
export function forbiddenType(types: VisibleTypes, type: string, path?: string): AppError | null {
  if (isVisible(types, type)) return null;
  const details = path === undefined ? [] : [{ path, message: `"${path}" is not a job type of this API key` }];
  return new AppError('forbidden', `This API key may not submit jobs of the type ${JSON.stringify(type)}.`, {
    details,
  });
}

/** Throws `forbidden` if the key may not submit jobs of the type. */
export function requireType({ types }: Principal, type: string, path?: string): void {
  const error = forbiddenType(types, type, path);
  if (error) throw error;
}
