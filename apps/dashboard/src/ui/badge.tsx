import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cx } from './cx.js';

export type Tone = 'pending' | 'running' | 'done' | 'failed' | 'warning';

/** The classes for text and background of each tone. */
export const TONE_CLASSES: Record<Tone, string> = {
  pending: 'text-pending bg-pending-tint',
  running: 'text-running bg-running-tint',
  done: 'text-done bg-done-tint',
  failed: 'text-failed bg-failed-tint',
  warning: 'text-warning bg-warning-tint',
};

/** The class for text of each tone on a plain background. */
export const TONE_TEXT: Record<Tone, string> = {
  pending: 'text-pending',
  running: 'text-running',
  done: 'text-done',
  failed: 'text-failed',
  warning: 'text-warning',
};

export interface BadgeProps extends ComponentProps<'span'> {
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
      {Icon && (
        <Icon aria-hidden="true" size={14} className={cx('shrink-0', spin && 'animate-spin [animation-duration:2s]')} />
      )}
      <span className="truncate">{children}</span>
    </span>
  );
}
