/** Branded types: it is a type error to pass another string where an organization's id is expected. */
declare const brand: unique symbol;

/** An organization's id. It is the first parameter of every database function that touches an organization's data. */
export type OrgId = string & { readonly [brand]: 'OrgId' };
export type UserId = string & { readonly [brand]: 'UserId' };
/** The service's own id of a job. It travels through Redis and to handlers; callers know the job's `id`. */
export type JobKey = string & { readonly [brand]: 'JobKey' };

/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Closes a switch over a union: it does not compile while a member of the union is not handled. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
