import { CircleCheck, CircleX, Info, X } from 'lucide-react';
import { Toast as Radix } from 'radix-ui';
import { type ReactElement, useSyncExternalStore } from 'react';
import { Button } from './button.js';
import { type ToastMessage, type ToastTone, toastStore } from './toast-store.js';

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
  const shown = useSyncExternalStore(toastStore.subscribe, toastStore.current);
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
      onOpenChange={(open) => !open && toastStore.close(id)}
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
        <X aria-hidden="true" size={14} />
      </Radix.Close>
    </Radix.Root>
  );
}
