import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { createStore } from '../store.js';

/** `count` distinguishes two announcements of the same text. */
const latest = createStore({ text: '', count: 0 });

/** Makes screen readers announce a change that is visible on the page. */
export function announce(text: string): void {
  latest.set({ text, count: latest.get().count + 1 });
}

/** The live region that `announce` writes to. UiRoot renders it once per document. */
export function Announcer() {
  const { text, count } = useSyncExternalStore(latest.subscribe, latest.get);
  return (
    <div role="status" aria-live="polite" className="sr-only">
      <span key={count}>{text}</span>
    </div>
  );
}

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
