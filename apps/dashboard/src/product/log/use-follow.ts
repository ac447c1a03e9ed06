import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { followAfter, type Geometry } from './follow.js';

/** Keeps a scrolled box at its end while the user is there. `count` is the number of lines. */
export function useFollow(count: number) {
  const box = useRef<HTMLDivElement>(null);
  const seen = useRef<Geometry>({ top: 0, viewport: 0, content: 0 });
  const [following, setFollowing] = useState(true);
  const [pausedAt, setPausedAt] = useState(0);
  const latest = useRef({ following, count });
  latest.current = { following, count };

  const updatePosition = useCallback(() => {
    const element = box.current;
    if (!element) return;
    const follows = followAfter(latest.current.following, seen.current, geometryOf(element));
    if (follows) element.scrollTop = element.scrollHeight;
    seen.current = geometryOf(element);
    if (follows === latest.current.following) return;
    latest.current.following = follows;
    setFollowing(follows);
    setPausedAt(latest.current.count);
  }, []);

  // Runs after every change of the content, before it is painted.
  useLayoutEffect(updatePosition);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(updatePosition);
    observer.observe(element);
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, [updatePosition]);

  const onScroll = useCallback(() => {
    const element = box.current;
    if (!element) return;
    const now = geometryOf(element);
    const follows = followAfter(latest.current.following, seen.current, now);
    seen.current = now;
    if (follows === latest.current.following) return;
    latest.current.following = follows;
    setFollowing(follows);
    setPausedAt(latest.current.count);
  }, []);

  const resume = useCallback(() => {
    const element = box.current;
    if (!element) return;
    element.scrollTop = element.scrollHeight;
    seen.current = geometryOf(element);
    setFollowing(true);
  }, []);

  const pause = useCallback(() => {
    setFollowing(false);
    setPausedAt(latest.current.count);
  }, []);

  return { box, following, onScroll, resume, pause, missed: following ? 0 : Math.max(0, count - pausedAt) };
}

function geometryOf({ scrollTop, clientHeight, scrollHeight }: HTMLElement): Geometry {
  return { top: scrollTop, viewport: clientHeight, content: scrollHeight };
}
