import { useApi } from '../services.js';
import { type Schemas, takePage } from './api-client.js';
import { type List, useList } from './use-list.js';

export type Member = Schemas['Member'];

export const MEMBERS_KEY = ['members'] as const;
const PAGE_SIZE = 1_000;

/** The members of the organization. Only owners and admins may read them. */
export function useMembers({ enabled = true } = {}): List<Member> {
  const api = useApi();
  return useList(
    MEMBERS_KEY,
    (cursor) =>
      takePage(api.GET('/org/members', { params: { query: { limit: PAGE_SIZE, ...(cursor && { cursor }) } } })),
    { enabled },
  );
}
