import type { OrgId } from '@jobline/contracts';

/** The organization after which the next page begins; null: `page` was the last one of at most `limit`. */
export function afterPage(page: readonly { orgId: OrgId }[], limit: number): OrgId | null {
  return page.length < limit ? null : (page.at(-1)?.orgId ?? null);
}

/** Work that is done for one organization after the other. */
export interface OrgWork<Org> {
  /** The next organizations, in the order of their ids. */
  list(after: OrgId | null, limit: number): Promise<readonly Org[]>;
  /** How many organizations one call takes. */
  limit: number;
  /** Does a bounded part of the work of an organization. Returns whether there may be more. */
  work(org: Org): Promise<boolean>;
}

/**
 * Returns a function that does the work of the next organizations, pass after pass over all of them. It returns false at the
 * end of a pass that has found no organization with more to do.
 */
export function createOrgPages<Org extends { orgId: OrgId }>({ list, limit, work }: OrgWork<Org>) {
  let after: OrgId | null = null;
  /** Whether an organization has more than this pass has done. */
  let isBehind = false;
  return async (): Promise<boolean> => {
    const orgs = await list(after, limit);
    for (const org of orgs) isBehind = (await work(org)) || isBehind;
    after = afterPage(orgs, limit);
    const hasMore = after !== null || isBehind;
    if (after === null) isBehind = false;
    return hasMore;
  };
}
