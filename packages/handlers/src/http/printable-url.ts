/**
 * The URL for the log of a job, without its query. The whole organization can read the log, and queries may contain
 * tokens.
 */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
