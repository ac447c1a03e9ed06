/** An address for a job's log, which the whole organization reads: queries carry tokens. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
