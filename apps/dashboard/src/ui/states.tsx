import { CloudOff, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatClock } from '../format/times.js';
import { Button } from './button.js';
import { cx } from './classes.js';
import { CopyButton } from './copy.js';

interface EmptyStateProps {
  icon?: ReactNode;
  /** One sentence that says what is empty. */
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
  className?: string | undefined;
}

/** Says that there is nothing to show, and what the user can do. */
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

interface ErrorStateProps {
  message: string;
  onRetry?: (() => void) | undefined;
  retrying?: boolean | undefined;
  /** The id from the API's error response, with which an operator finds the request in the log. */
  requestId?: string | undefined;
  className?: string | undefined;
}

/** Replaces content that could not be loaded, with a button to try again. */
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
        <Button className="mt-3" busy={retrying} onClick={onRetry} icon={<RotateCw />}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** The id of a failed request, as in the server's log. */
export function RequestId({ value }: { value: string }) {
  return (
    <p className="flex max-w-full items-center gap-1 text-meta text-muted">
      <span className="shrink-0">Request ID</span>
      <span className="truncate font-mono">{value}</span>
      <CopyButton text={value} label="Copy request ID" />
    </p>
  );
}

interface StaleNoteProps {
  /** When the shown data was loaded, in milliseconds, such as TanStack Query's `dataUpdatedAt`. */
  asOf: number;
  /** The name of the data, where it is not clear: "Statistics". */
  what?: string | undefined;
  /** The action of the button "Try again". Without it, the data is refetched automatically. */
  onRetry?: (() => void) | undefined;
}

/** Says that the shown data is old because a refetch failed. */
export function StaleNote({ asOf, what, onRetry }: StaleNoteProps) {
  return (
    <p role="status" className="inline-flex items-center gap-1.5 text-meta text-warning tabular-nums">
      <CloudOff size={14} />
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

/** A gray placeholder for text. It is invisible for the first 150 ms, so that fast responses cause no flicker. */
export function Skeleton({ className }: { className?: string | undefined }) {
  return (
    <span aria-hidden="true" className="block animate-appear">
      <span className={cx('block h-3 animate-breathe rounded-control bg-line', className)} />
    </span>
  );
}

interface ProgressBarProps {
  /** The name of the work: "Retrying 12 jobs". */
  label: string;
  value: number;
  max: number;
  /** The value in words: "3 of 12 jobs". */
  text: string;
}

/** How much of some work is complete. */
export function ProgressBar({ label, value, max, text }: ProgressBarProps) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={value}
      aria-valuetext={text}
      className="h-2 overflow-hidden rounded-full bg-running-tint forced-colors:border"
    >
      <div
        className="h-full rounded-full bg-running transition-[width] forced-colors:bg-[CanvasText]"
        style={{ width: `${max === 0 ? 100 : (value / max) * 100}%` }}
      />
    </div>
  );
}
