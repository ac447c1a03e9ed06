import { useApi } from '../services.js';
import { type Schemas, takePage } from './api-client.js';
import { type List, useList } from './use-list.js';

export type Member = Schemas['Member'];

export const MEMBERS_KEY = ['members'] as const;
const MOST = 1_000;

/** Who belongs to the organization. For who may read that: owners and admins. */
export function useMembers({ enabled = true } = {}): List<Member> {
  const api = useApi();
  return useList(
    MEMBERS_KEY,
    (cursor) => takePage(api.GET('/org/members', { params: { query: { limit: MOST, ...(cursor && { cursor }) } } })),
    { enabled },
  );
}
