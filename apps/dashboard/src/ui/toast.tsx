import { CircleCheck, CircleX, Info, X } from 'lucide-react';
import { Toast as Radix } from 'radix-ui';
import { type ReactElement, useSyncExternalStore } from 'react';
import { createStore } from '../store.js';
import { Button } from './button.js';

const LIFE_MS = 6_000;

const ICONS: Record<ToastTone, ReactElement> = {
  success: <CircleCheck className="text-done" />,
  info: <Info className="text-running" />,
  error: <CircleX className="text-failed" />,
};

/**
 * The area in which toasts appear. F8 moves the focus there. UiRoot renders it once per document. On phones the toasts
 * cover the bar at the top, because the submit buttons are at the bottom.
 */
export function Toaster() {
  const shown = useSyncExternalStore(toasts.subscribe, toasts.get);
  return (
    <Radix.Provider duration={LIFE_MS} label="Notification">
      {shown.map((message) => (
        <OneToast key={message.id} message={message} />
      ))}
      <Radix.Viewport className="fixed right-0 z-50 flex w-96 max-w-full flex-col gap-2 outline-none max-sm:top-0 max-sm:p-2 sm:bottom-0 sm:p-4" />
    </Radix.Provider>
  );
}

function OneToast({ message: { id, tone, title, detail, action } }: { message: ToastMessage }) {
  return (
    <Radix.Root
      type="background"
      duration={tone === 'error' ? Number.POSITIVE_INFINITY : LIFE_MS}
      onOpenChange={(open) => !open && toasts.set(toasts.get().filter((one) => one.id !== id))}
      className="flex animate-pop items-start gap-3 rounded-card bg-surface p-3 shadow-pop"
    >
      <span aria-hidden="true" className="pt-0.5 [&_svg]:size-4">
        {ICONS[tone]}
      </span>
      <div className="min-w-0 flex-1">
        <Radix.Title className="text-body font-medium wrap-break-word">{title}</Radix.Title>
        {detail && (
          <Radix.Description className="mt-0.5 text-meta wrap-break-word text-muted">{detail}</Radix.Description>
        )}
      </div>
      {action && (
        <Radix.Action asChild altText={action.label}>
          <Button size="small" onClick={action.onAction}>
            {action.label}
          </Button>
        </Radix.Action>
      )}
      <Radix.Close
        aria-label="Close"
        className="hit grid size-6 shrink-0 place-items-center rounded-control text-muted hover:bg-hover hover:text-text"
      >
        <X size={14} />
      </Radix.Close>
    </Radix.Root>
  );
}

export type ToastTone = 'success' | 'info' | 'error';

export interface ToastMessage {
  id: number;
  tone: ToastTone;
  title: string;
  detail?: string | undefined;
  action?: { label: string; onAction: () => void } | undefined;
}

const MAX_SHOWN = 3;

/** Adds a toast. If there are more than three, it removes the oldest toast that is not an error. */
export function withToast(shown: readonly ToastMessage[], added: ToastMessage): readonly ToastMessage[] {
  const next = [...shown, added];
  if (next.length <= MAX_SHOWN) return next;
  const removed = next.find(({ tone, id }) => tone !== 'error' && id !== added.id) ?? next[0];
  return next.filter((toast) => toast !== removed);
}

const toasts = createStore<readonly ToastMessage[]>([]);
let lastId = 0;

function show(tone: ToastTone) {
  return (title: string, options: Pick<ToastMessage, 'detail' | 'action'> = {}): void =>
    toasts.set(withToast(toasts.get(), { ...options, id: ++lastId, tone, title }));
}

/** Reports effects that are not visible on the page. A toast stays for 6 s; an error stays until the user closes it. */
export const toast = {
  success: show('success'),
  info: show('info'),
  error: show('error'),
  /** Removes all toasts, for example when the user signs out or switches the organization. */
  clear: () => toasts.set([]),
};
