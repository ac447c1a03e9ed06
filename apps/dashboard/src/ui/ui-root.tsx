import { Tooltip } from 'radix-ui';
import type { ReactNode } from 'react';
import { Announcer } from './announce.js';
import { Toaster } from './toast.js';

/** Wraps the whole page once. Tooltips, toasts and announcements need it. */
export function UiRoot({ children }: { children: ReactNode }) {
  return (
    <Tooltip.Provider delayDuration={300} skipDelayDuration={150}>
      {children}
      <Toaster />
      <Announcer />
    </Tooltip.Provider>
  );
}
