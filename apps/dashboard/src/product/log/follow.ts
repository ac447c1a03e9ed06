/** The scroll position and sizes of a box, in pixels. */
export interface Geometry {
  top: number;
  viewport: number;
  content: number;
}

/** The distance from the end that still counts as at the end. */
export const SLACK_PX = 16;

export function isAtEnd({ top, viewport, content }: Geometry): boolean {
  return content - viewport - top <= SLACK_PX;
}

/**
 * Decides whether the log follows its end, from the previous state and the last known geometry. Only scrolling by the
 * user changes the state: up pauses, down to the end resumes. Wrapping, resizing, new lines and late layout also change
 * the geometry: then the browser may move the box down to keep the text in place, or up to the new end, and no further.
 */
export function followAfter(following: boolean, seen: Geometry, now: Geometry): boolean {
  const furthest = Math.max(0, now.content - now.viewport);
  const unmoved = Math.min(seen.top, furthest);
  if (following) return now.top >= unmoved - 1 || isAtEnd(now);
  return now.top > unmoved + 1 && isAtEnd(now);
}
