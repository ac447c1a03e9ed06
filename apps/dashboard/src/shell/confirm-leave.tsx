import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useServices } from '../services.js';
import { Confirm } from '../ui/index.js';

interface Location {
  pathname: string;
  search: object;
}

export interface ConfirmLeaveProps {
  /** Whether leaving now would lose something. */
  when: boolean;
  /** Whether a navigation leaves the content. Default: every navigation does. */
  isLeaving?: ((from: Location, to: Location) => boolean) | undefined;
  title: string;
  verb: string;
  cancel: string;
  /** Called before the navigation continues. */
  onLeave?: (() => void) | undefined;
  /** Describes what would be lost. */
  children: ReactNode;
}

/**
 * Asks before a navigation that would lose something. Signing out is not blocked. For closing the tab, the browser
 * asks: see `useUnloadWarning`.
 */
export function ConfirmLeave({ when, isLeaving = () => true, onLeave, children, ...words }: ConfirmLeaveProps) {
  const { session } = useServices();
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => when && session.token() !== null && isLeaving(current, next),
    enableBeforeUnload: false,
    withResolver: true,
  });
  return (
    <Confirm
      open={blocker.status === 'blocked'}
      onOpenChange={(open) => !open && blocker.reset?.()}
      onConfirm={() => {
        onLeave?.();
        blocker.proceed?.();
      }}
      {...words}
    >
      {children}
    </Confirm>
  );
}
