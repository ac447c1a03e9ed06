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
 * Whether the log follows its end, from what it was and how the box was last seen. Only a reader who scrolls changes it:
 * a wrap, a resize or new lines change the box under the same reader, even where the browser has to move it for that.
 */
export function followAfter(following: boolean, seen: Geometry, now: Geometry): boolean {
  const furthest = Math.max(0, now.content - now.viewport);
  const unmoved = Math.min(seen.top, furthest);
  return Math.abs(now.top - unmoved) <= 1 ? following : isAtEnd(now);
}
