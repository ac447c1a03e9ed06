const START = '/';

/** Returns the path to open after signing in. Anything that is not a path of this site becomes the start page. */
export function safeRedirect(next: string | undefined, ours = location.origin): string {
  if (!next?.startsWith('/')) return START;
  try {
    const { origin, pathname, search, hash } = new URL(next, ours);
    // `//host` and `/\host` are other hosts, and the browser resolves `/.//host` to one.
    const isInternal = origin === ours && !pathname.startsWith('//') && pathname !== '/login';
    return isInternal ? pathname + search + hash : START;
  } catch {
    return START; // not a valid URL, such as `//`
  }
}
