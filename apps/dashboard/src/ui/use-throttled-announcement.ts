import { useEffect, useRef, useState } from 'react';

const APART_MS = 5_000;

/** A sentence for who hears the page, said anew every 5 s at most however often it changes. */
export function useThrottledAnnouncement(sentence: string): string {
  const [said, setSaid] = useState('');
  const saidAt = useRef(0);
  useEffect(() => {
    const say = () => {
      saidAt.current = Date.now();
      setSaid(sentence);
    };
    const timer = setTimeout(say, Math.max(0, saidAt.current + APART_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [sentence]);
  return said;
}
