import type { Schemas } from '@jobline/client';
import { type List, useList } from './use-list.js';

export type Member = Schemas['Member'];

const PAGE_SIZE = 1_000;

/** The members of the organization. Only owners and admins may read them. */
export function useMembers(): List<Member> {
  return useList('listMembers', { limit: PAGE_SIZE });
}
