export type ToastTone = 'success' | 'info' | 'error';

export interface ToastMessage {
  id: number;
  tone: ToastTone;
  title: string;
  detail?: string | undefined;
  action?: { label: string; onAction: () => void } | undefined;
}

export type ToastOptions = Pick<ToastMessage, 'detail' | 'action'>;

const MOST = 3;

/** One more, and at most three: the oldest that is no error goes first. */
export function withToast(shown: readonly ToastMessage[], added: ToastMessage): readonly ToastMessage[] {
  const next = [...shown, added];
  if (next.length <= MOST) return next;
  const goes = next.find(({ tone, id }) => tone !== 'error' && id !== added.id) ?? next[0];
  return next.filter((toast) => toast !== goes);
}

let shown: readonly ToastMessage[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly ToastMessage[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

function show(tone: ToastTone) {
  return (title: string, options: ToastOptions = {}): void =>
    set(withToast(shown, { ...options, id: ++lastId, tone, title }));
}

/** For effects that are not visible in place. Stays for 6 s; an error until it is closed. */
export const toast = { success: show('success'), info: show('info'), error: show('error') };

export const toastStore = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  current: () => shown,
  /** What was said to somebody who is gone, or about another organization. */
  clear: () => set([]),
  close: (id: number) => set(shown.filter((one) => one.id !== id)),
};
