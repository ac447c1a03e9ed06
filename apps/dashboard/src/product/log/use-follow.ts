import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type LogLine, newLinesSentence } from './lines.js';

/** Keeps a scrolled box at its end while the user is there. `count` is the number of lines. */
export function useFollow(count: number) {
  const box = useRef<HTMLDivElement>(null);
  const seen = useRef<Geometry>({ top: 0, viewport: 0, content: 0 });
  const [following, setFollowing] = useState(true);
  const [pausedAt, setPausedAt] = useState(0);
  const latest = useRef({ following, count });
  latest.current = { following, count };

  const follow = useCallback((follows: boolean) => {
    if (follows === latest.current.following) return;
    latest.current.following = follows;
    setFollowing(follows);
    setPausedAt(latest.current.count);
  }, []);
  const update = useCallback(
    ({ moves }: { moves: boolean }) => {
      const element = box.current;
      if (!element) return;
      const follows = followAfter(latest.current.following, seen.current, geometryOf(element));
      if (follows && moves) element.scrollTop = element.scrollHeight;
      seen.current = geometryOf(element);
      follow(follows);
    },
    [follow],
  );

  // Runs after every change of the content and of `following`, before it is painted.
  useLayoutEffect(() => update({ moves: true }));
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => update({ moves: true }));
    observer.observe(element);
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, [update]);

  return {
    box,
    following,
    onScroll: () => update({ moves: false }),
    resume: () => follow(true),
    pause: () => follow(false),
    missed: following ? 0 : Math.max(0, count - pausedAt),
  };
}

function geometryOf({ scrollTop, clientHeight, scrollHeight }: HTMLElement): Geometry {
  return { top: scrollTop, viewport: clientHeight, content: scrollHeight };
}

/** The scroll position and sizes of a box, in pixels. */
interface Geometry {
  top: number;
  viewport: number;
  content: number;
}

/** The distance from the end that still counts as at the end. */
const SLACK_PX = 16;

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

const ANNOUNCE_EVERY_MS = 5_000;

/** Announces the lines that arrived since the last announcement, at most every 5 s. */
export function useNewLinesSentence(lines: readonly LogLine[]): string {
  const [sentence, setSentence] = useState('');
  const announced = useRef({ count: lines.length, at: 0 });
  useEffect(() => {
    // Fewer lines mean that the log is read again, as after a reconnect. That is not announced.
    if (lines.length < announced.current.count) announced.current.count = lines.length;
    if (lines.length === announced.current.count) return;
    const update = () => {
      setSentence(newLinesSentence(lines.slice(announced.current.count)));
      announced.current = { count: lines.length, at: Date.now() };
    };
    const timer = setTimeout(update, Math.max(500, announced.current.at + ANNOUNCE_EVERY_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [lines]);
  return sentence;
}
