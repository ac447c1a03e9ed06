import { useSyncExternalStore } from 'react';

interface Announcement {
  text: string;
  /** The same text twice is two announcements. */
  count: number;
}

let current: Announcement = { text: '', count: 0 };
const listeners = new Set<() => void>();

/** Has screen readers say something that is visible in place, politely. */
export function announce(text: string): void {
  current = { text, count: current.count + 1 };
  for (const listener of listeners) listener();
}

/** The live region of `announce`: once in the document, by UiRoot. */
export function Announcer() {
  const { text, count } = useSyncExternalStore(subscribe, () => current);
  return (
    <div role="status" aria-live="polite" className="sr-only">
      <span key={count}>{text}</span>
    </div>
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
