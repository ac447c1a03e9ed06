import { useEffect, useRef, useState } from 'react';

const MIN_INTERVAL_MS = 5_000;

/** Returns the sentence for a live region. However often the sentence changes, the result changes at most every 5 s. */
export function useThrottledAnnouncement(sentence: string): string {
  const [announced, setAnnounced] = useState('');
  const announcedAt = useRef(0);
  useEffect(() => {
    const update = () => {
      announcedAt.current = Date.now();
      setAnnounced(sentence);
    };
    const timer = setTimeout(update, Math.max(0, announcedAt.current + MIN_INTERVAL_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [sentence]);
  return announced;
}
