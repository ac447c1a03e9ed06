import { useSyncExternalStore } from 'react';

interface Announcement {
  text: string;
  /** Distinguishes two announcements of the same text. */
  count: number;
}

let current: Announcement = { text: '', count: 0 };
const listeners = new Set<() => void>();

/** Makes screen readers announce a change that is visible on the page. */
export function announce(text: string): void {
  current = { text, count: current.count + 1 };
  for (const listener of listeners) listener();
}

/** The live region that `announce` writes to. UiRoot renders it once per document. */
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
