/** `no-transform` and `no`: compressing and buffering on the way would hold events back. */
export const EVENT_STREAM_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
} as const;

const RECONNECT_MS = 1_000;

/**
 * What comes first: no event yet, but a comment, so that the answer begins at once; how soon to connect again; and the
 * place of the beginning, so that who is cut off before the first event skips nothing either.
 */
export function openingText(id: string): string {
  return `: jobline\nretry: ${RECONNECT_MS}\nid: ${id}\n\n`;
}
