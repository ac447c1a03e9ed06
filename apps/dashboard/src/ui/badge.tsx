import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cx } from './classes.js';
import { Tooltip } from './tooltip.js';

export type Tone = 'pending' | 'running' | 'done' | 'failed' | 'warning';

/** The classes for text and background of each tone. */
export const TONE_CLASSES: Record<Tone, string> = {
  pending: 'text-pending bg-pending-tint',
  running: 'text-running bg-running-tint',
  done: 'text-done bg-done-tint',
  failed: 'text-failed bg-failed-tint',
  warning: 'text-warning bg-warning-tint',
};

export const TONE_TEXT: Record<Tone, string> = {
  pending: 'text-pending',
  running: 'text-running',
  done: 'text-done',
  failed: 'text-failed',
  warning: 'text-warning',
};

interface BadgeProps extends ComponentProps<'span'> {
  tone?: Tone | undefined;
  icon?: LucideIcon | undefined;
  spin?: boolean | undefined;
}

/** A small colored label. Use it directly for labels that are not an API status, such as "Sandbox" or "You". */
export function Badge({ tone = 'pending', icon: Icon, spin, className, children, ...rest }: BadgeProps) {
  return (
    <span
      {...rest}
      className={cx(
        'inline-flex h-6 max-w-full items-center gap-1.5 rounded-full border border-transparent px-2 text-meta font-medium',
        'whitespace-nowrap',
        TONE_CLASSES[tone],
        className,
      )}
    >
      {Icon && <Icon size={14} className={cx('shrink-0', spin && 'animate-spin [animation-duration:2s]')} />}
      <span className="truncate">{children}</span>
    </span>
  );
}

export type LiveState = 'live' | 'reconnecting' | 'polling' | 'paused';

const STATES: Record<LiveState, { word: string; dot: string; meaning: string }> = {
  live: { word: 'Live', dot: 'bg-done', meaning: 'Changes arrive as they happen.' },
  reconnecting: {
    word: 'Reconnecting',
    dot: 'bg-warning animate-breathe',
    meaning: 'The connection was lost; reconnecting.',
  },
  polling: {
    word: 'Polling',
    dot: 'border-2 border-running',
    meaning: 'Live updates are not available; the page refreshes every few seconds.',
  },
  paused: {
    word: 'Paused',
    dot: 'border-2 border-pending',
    meaning: 'The page does not refresh while this tab is hidden.',
  },
};

/** Shows how the page receives updates. */
export function LivePill({ state }: { state: LiveState }) {
  const { word, dot, meaning } = STATES[state];
  return (
    <Tooltip content={meaning}>
      <span
        role="status"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip must open on focus
        tabIndex={0}
        className="inline-flex h-6 items-center gap-1.5 rounded-full border border-line bg-surface px-2 text-meta font-medium text-muted"
      >
        <span aria-hidden="true" className={cx('size-2 rounded-full', dot)} />
        {word}
      </span>
    </Tooltip>
  );
}
