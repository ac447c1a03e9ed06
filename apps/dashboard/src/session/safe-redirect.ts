const START = '/';

/** Where to go after signing in: a path of ours, whatever the address said. Anything else is the start page. */
export function safeRedirect(next: string | undefined, ours = location.origin): string {
  if (!next?.startsWith('/')) return START;
  try {
    const { origin, pathname, search, hash } = new URL(next, ours);
    // `//host` and `/\host` are other hosts, and `/.//host` becomes one when it is gone to.
    const isOurs = origin === ours && !pathname.startsWith('//') && pathname !== '/login';
    return isOurs ? pathname + search + hash : START;
  } catch {
    return START; // no address at all, such as `//`
  }
}
