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
