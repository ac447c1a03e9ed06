import type { Jobline, Schemas } from '@jobline/client';
import { hasRight, type Right } from '@jobline/contracts';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { useServices } from '../services.js';

export type Me = Schemas['Me'];

export const ME_KEY = ['me'] as const;

/** Loaded before a page of the shell is shown, so the pages can rely on it. */
export function meQuery(api: Jobline) {
  return queryOptions({ queryKey: ME_KEY, queryFn: () => api.auth.me(), staleTime: 60_000 });
}

/** Returns the user, the organization of this session, and all organizations of the user. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery(useServices().api)).data;
}

/** Returns a check whether the user's role has a right. The API enforces rights; pages only hide what would fail. */
export function useCan(): (right: Right) => boolean {
  const { role } = useMe().user;
  return (right) => hasRight(role, right);
}

export function useIsExpired(): boolean {
  const { session } = useServices();
  return useSyncExternalStore(session.subscribe, session.isExpired);
}
