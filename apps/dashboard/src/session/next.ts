/** Where to go after signing in: a path of ours, whatever the address said. Anything else is the start page. */
export function samePlace(next: string | undefined): string {
  if (next === undefined || !next.startsWith('/')) return '/';
  const target = new URL(next, location.origin); // `//host` and `/\host` are other hosts
  const isOurs = target.origin === location.origin && target.pathname !== '/login';
  return isOurs ? target.pathname + target.search + target.hash : '/';
}
