import { CloudOff, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatClock } from '../format/format-time.js';
import { Button } from './button.js';
import { CopyButton } from './copy.js';
import { cx } from './cx.js';

export interface EmptyStateProps {
  /** Decoration. */
  icon?: ReactNode;
  /** One sentence: what is not there. */
  title: string;
  /** The next step. */
  children?: ReactNode;
  /** Buttons. */
  actions?: ReactNode;
  className?: string | undefined;
}

/** Nothing is there, and what to do about it. */
export function EmptyState({ icon, title, children, actions, className }: EmptyStateProps) {
  return (
    <div className={cx('flex flex-col items-center gap-1 px-6 py-12 text-center', className)}>
      {icon && (
        <span
          aria-hidden="true"
          className="mb-3 grid size-10 place-items-center rounded-card border border-line bg-sunken text-muted [&_svg]:size-5"
        >
          {icon}
        </span>
      )}
      <p className="text-body font-medium">{title}</p>
      {children && <div className="max-w-md text-body text-pretty text-muted">{children}</div>}
      {actions && <div className="mt-3 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}

export interface ErrorStateProps {
  /** One sentence: what failed and why. */
  message: string;
  onRetry?: (() => void) | undefined;
  retrying?: boolean | undefined;
  /** From the API's error: whoever helps can find it in the log. */
  requestId?: string | null | undefined;
  className?: string | undefined;
}

/** Something could not be loaded: in its place, with a way on. */
export function ErrorState({ message, onRetry, retrying, requestId, className }: ErrorStateProps) {
  return (
    <div role="alert" className={cx('flex flex-col items-center gap-1 px-6 py-12 text-center', className)}>
      <span
        aria-hidden="true"
        className="mb-3 grid size-10 place-items-center rounded-card bg-failed-tint text-failed [&_svg]:size-5"
      >
        <CloudOff />
      </span>
      <p className="max-w-md text-body font-medium text-pretty wrap-break-word">{message}</p>
      {requestId && <RequestId value={requestId} />}
      {onRetry && (
        <Button className="mt-3" busy={retrying} onClick={onRetry} icon={<RotateCw aria-hidden="true" />}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** The id under which the server's log has a failed request. */
export function RequestId({ value }: { value: string }) {
  return (
    <p className="flex max-w-full items-center gap-1 text-meta text-muted">
      <span className="shrink-0">Request</span>
      <span className="truncate font-mono">{value}</span>
      <CopyButton text={value} label="Copy request id" />
    </p>
  );
}

export interface StaleNoteProps {
  /** When what is shown was true: milliseconds, as TanStack Query's `dataUpdatedAt`. */
  asOf: number;
  /** What that is of, where it is not plain: "Figures". */
  what?: string | undefined;
  /** Where nothing is tried again by itself. */
  onRetry?: (() => void) | undefined;
}

/** Over rows that a failed refetch left standing. */
export function StaleNote({ asOf, what, onRetry }: StaleNoteProps) {
  return (
    <p role="status" className="inline-flex items-center gap-1.5 text-meta text-warning tabular-nums">
      <CloudOff aria-hidden="true" size={14} />
      <span>
        {what ? `${what} as of` : 'As of'} {formatClock(asOf)}, {onRetry ? 'retrying failed.' : 'retrying'}
      </span>
      {onRetry && (
        <button type="button" onClick={onRetry} className="hit underline underline-offset-4">
          Try again
        </button>
      )}
    </p>
  );
}

/** A grey bar in the place of text. Invisible for the first 150 ms, so that quick answers do not flash. */
export function Skeleton({ className }: { className?: string | undefined }) {
  return (
    <span aria-hidden="true" className="block animate-appear">
      <span className={cx('block h-3 animate-breathe rounded-control bg-line', className)} />
    </span>
  );
}
