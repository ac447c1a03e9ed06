import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cx } from './cx.js';
import { useInRow } from './in-row.js';
import { meaningOf, type StatusKind, type StatusOf, TONE_LOOKS, type Tone } from './status.js';
import { Tooltip } from './tooltip.js';

export type StatusBadgeProps = {
  [Kind in StatusKind]: { kind: Kind; status: StatusOf<Kind> | (string & {}) };
}[StatusKind] & {
  /** Instead of the usual word, e.g. "Cancel requested". */
  word?: string | undefined;
};

/** A status: icon and word always, and on hover or focus what it means. */
export function StatusBadge({ kind, status, word }: StatusBadgeProps) {
  const inRow = useInRow();
  const { word: usual, icon, tone, meaning } = meaningOf(kind, status);
  return (
    <Tooltip content={meaning}>
      <Badge tone={tone} icon={icon} tabIndex={inRow ? undefined : 0} spin={kind === 'job' && status === 'processing'}>
        {word ?? usual}
      </Badge>
    </Tooltip>
  );
}

export interface BadgeProps extends ComponentProps<'span'> {
  tone?: Tone | undefined;
  icon?: LucideIcon | undefined;
  spin?: boolean | undefined;
}

/** A small labelled tint: for what is no status of the API, e.g. "Sandbox" or "You". */
export function Badge({ tone = 'pending', icon: Icon, spin, className, children, ...rest }: BadgeProps) {
  return (
    <span
      {...rest}
      className={cx(
        'inline-flex h-6 max-w-full items-center gap-1.5 rounded-full border border-transparent px-2 text-meta font-medium',
        'whitespace-nowrap',
        TONE_LOOKS[tone],
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
