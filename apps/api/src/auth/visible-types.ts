import type { VisibleTypes } from '@jobline/contracts';
import { AppError, type OrgId } from '@jobline/contracts';
import { type Db, findJobType, findScheduleType } from '@jobline/db';
import { notFound } from '../http/http-errors.js';
import type { Principal } from './principal.js';

/** What a key that is restricted to some job types may submit and see. */

type FindType = (db: Db, orgId: OrgId, id: string) => Promise<string | null>;

/** The job types whose messages the endpoints of a channel send and show. */
export const MESSAGE_TYPES = { email: 'send_email', sms: 'send_sms' } as const;

/** The paths of objects that have a job type. Paths below them belong to the same object. */
const TYPE_OF: Readonly<Record<string, FindType>> = {
  '/jobs/:id': findJobType,
  '/schedules/:id': findScheduleType,
  '/email/messages/:id': async () => MESSAGE_TYPES.email,
  '/sms/messages/:id': async () => MESSAGE_TYPES.sms,
};

/** Returns the check of the object that a path names: it throws `not_found` if the caller may not see the object's type. */
export function visibilityCheck(
  path: string,
): (db: Db, principal: Principal, params: Readonly<Record<string, string>>) => Promise<void> | undefined {
  const [, findType] = Object.entries(TYPE_OF).find(([of]) => path === of || path.startsWith(`${of}/`)) ?? [];
  return (db, { orgId, types }, { id = '' }) =>
    findType && types ? requireVisible(findType(db, orgId, id), types) : undefined;
}

/** A job never changes its type, so it can be read before the request is carried out. Changes and runs of schedules check again. */
async function requireVisible(finding: Promise<string | null>, types: readonly string[]): Promise<void> {
  const type = await finding;
  if (type === null || !types.includes(type)) throw notFound();
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
