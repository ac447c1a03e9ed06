import type { Jobline, Schemas } from '@jobline/client';
import { hasRight, type Right } from '@jobline/contracts';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
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

/** Returns a function that signs in with a new token and opens a path. It deletes the data of a previous user. */
export function useSignIn(): (token: string, path: string) => void {
  const { session, queries } = useServices();
  const router = useRouter();
  return (token, path) => {
    queries.clear();
    session.signIn(token);
    router.history.push(path);
  };
}

const START_PAGE = '/';

/** Returns the path to open after signing in. Anything that is not a path of this site becomes the start page. */
export function safeRedirect(next: string | undefined, ours = location.origin): string {
  if (!next?.startsWith('/')) return START_PAGE;
  try {
    const { origin, pathname, search, hash } = new URL(next, ours);
    // `//host` and `/\host` are other hosts, and the browser resolves `/.//host` to one.
    const isInternal = origin === ours && !pathname.startsWith('//') && pathname !== '/login';
    return isInternal ? pathname + search + hash : START_PAGE;
  } catch {
    return START_PAGE; // not a valid URL, such as `//`
  }
}
