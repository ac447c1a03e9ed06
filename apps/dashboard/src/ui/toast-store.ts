export type ToastTone = 'success' | 'info' | 'error';

export interface ToastMessage {
  id: number;
  tone: ToastTone;
  title: string;
  detail?: string | undefined;
  action?: { label: string; onAction: () => void } | undefined;
}

export type ToastOptions = Pick<ToastMessage, 'detail' | 'action'>;

const MAX_SHOWN = 3;

/** Adds a toast. If there are more than three, it removes the oldest toast that is not an error. */
export function withToast(shown: readonly ToastMessage[], added: ToastMessage): readonly ToastMessage[] {
  const next = [...shown, added];
  if (next.length <= MAX_SHOWN) return next;
  const removed = next.find(({ tone, id }) => tone !== 'error' && id !== added.id) ?? next[0];
  return next.filter((toast) => toast !== removed);
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

/** Reports effects that are not visible on the page. A toast stays for 6 s; an error stays until the user closes it. */
export const toast = { success: show('success'), info: show('info'), error: show('error') };

export const toastStore = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  current: () => shown,
  /** Removes all toasts, for example when the user signs out or switches the organization. */
  clear: () => set([]),
  close: (id: number) => set(shown.filter((one) => one.id !== id)),
};
