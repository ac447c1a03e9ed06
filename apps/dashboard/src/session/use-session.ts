import { hasRight, type Right } from '@jobline/contracts';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { type Api, type Schemas, take } from '../api/api-client.js';
import { useServices } from '../services.js';

export type Me = Schemas['Me'];

export const ME_KEY = ['me'] as const;

/** Asked for before a page of the shell is shown, so there it is known. */
export function meQuery(api: Api) {
  return queryOptions({ queryKey: ME_KEY, queryFn: () => take(api.GET('/auth/me')), staleTime: 60_000 });
}

/** The user, the organization of this session, and all of theirs. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery(useServices().api)).data;
}

/** Whether the signed-in user's role allows it. The API decides; this is so that nothing is offered in vain. */
export function useCan(): (right: Right) => boolean {
  const { role } = useMe().user;
  return (right) => hasRight(role, right);
}

export function useIsExpired(): boolean {
  const { session } = useServices();
  return useSyncExternalStore(session.subscribe, session.isExpired);
}
