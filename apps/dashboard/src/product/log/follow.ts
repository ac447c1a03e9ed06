/** A scrolled box, in pixels. */
export interface Geometry {
  top: number;
  viewport: number;
  content: number;
}

/** So near the end counts as at the end. */
export const SLACK_PX = 16;

export function isAtEnd({ top, viewport, content }: Geometry): boolean {
  return content - viewport - top <= SLACK_PX;
}

/**
 * Whether the log follows its end, from what it was and how the box was last seen. Only a reader who scrolls changes it,
 * up to pause and down to resume. A wrap, a resize, new lines and lines that get their true height change the box under
 * the same reader: then the browser may move it down to hold the text still, or up to the new end, and no further.
 */
export function followAfter(following: boolean, seen: Geometry, now: Geometry): boolean {
  const furthest = Math.max(0, now.content - now.viewport);
  const unmoved = Math.min(seen.top, furthest);
  if (following) return now.top >= unmoved - 1 || isAtEnd(now);
  return now.top > unmoved + 1 && isAtEnd(now);
}
