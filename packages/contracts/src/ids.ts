/** Brands, so that swapping an organization's id with any other string is a type error. */
declare const brand: unique symbol;

/** An organization's id. The first parameter of every database function that touches an organization's data. */
export type OrgId = string & { readonly [brand]: 'OrgId' };
export type UserId = string & { readonly [brand]: 'UserId' };
/** The service's own id of a job, which travels through Redis and to handlers; callers know its `id`. */
export type JobKey = string & { readonly [brand]: 'JobKey' };
