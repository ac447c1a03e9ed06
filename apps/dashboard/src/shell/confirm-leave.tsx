import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useServices } from '../services.js';
import { Confirm } from '../ui/index.js';

interface Place {
  pathname: string;
  search: object;
}

export interface ConfirmLeaveProps {
  /** Whether leaving would lose something now. */
  when: boolean;
  /** Whether that is leaving at all; if not given, all is that changes the address. */
  isLeaving?: ((from: Place, to: Place) => boolean) | undefined;
  title: string;
  verb: string;
  cancel: string;
  /** Before one goes. */
  onLeave?: (() => void) | undefined;
  /** What is lost. */
  children: ReactNode;
}

/**
 * Asks before somebody leaves what would be lost: for another page, or back. Signing out is not asked about. Closing the
 * tab is the browser's to ask: `useWarning`.
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
