import { type ComponentProps, cloneElement, type ReactElement, type ReactNode } from 'react';
import { formatExact, formatNumber, UNKNOWN } from '../format/numbers.js';
import { cx } from './classes.js';
import { Skeleton } from './states.js';

interface StatTileProps {
  label: string;
  /** Undefined while the value loads; null if it is unknown. */
  value: number | null | undefined;
  /** Text after the number, such as "(0.7%)". */
  remark?: ReactNode;
  /** Text below the number: "in 24 h", "oldest 3 min". */
  hint?: ReactNode;
  icon?: ReactNode;
  /** A `<Link …/>` without children. The whole tile becomes this link. */
  link?: ReactElement<Pick<ComponentProps<'a'>, 'className' | 'aria-current' | 'children'>> | undefined;
  /** Whether the filter that the tile links to is active. */
  current?: boolean | undefined;
}

/** A number with a label. Put several tiles into StatTiles. */
export function StatTile({ label, value, remark, hint, icon, link, current }: StatTileProps) {
  const content = (
    <>
      <span className="flex items-center gap-1.5 text-mono text-muted [&_svg]:size-3.5">
        {icon}
        {label}
      </span>
      <span className="flex h-8 items-baseline gap-1.5">
        {value === undefined ? (
          <span className="self-center">
            <Skeleton className="h-5! w-16" />
          </span>
        ) : (
          <span
            title={value === null ? undefined : formatExact(value)}
            className="text-title font-semibold tracking-tight tabular-nums"
          >
            {value === null ? UNKNOWN : formatNumber(value)}
          </span>
        )}
        {remark && <span className="truncate text-body text-muted tabular-nums">{remark}</span>}
      </span>
      <span className="h-4 truncate text-meta text-muted tabular-nums">{hint}</span>
    </>
  );
  const classes = 'flex min-w-0 flex-col gap-0.5 bg-surface px-4 py-3 text-left';
  if (!link) return <div className={classes}>{content}</div>;
  const className = cx(classes, 'focus-inset transition-colors hover:bg-sunken', current && 'bg-accent-soft!');
  return cloneElement(link, { className, 'aria-current': current || undefined, children: content });
}

/** Tiles side by side; two columns on phones. */
export function StatTiles({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section
      aria-label={label}
      className="grid grid-cols-2 gap-px overflow-hidden rounded-card border border-line bg-line lg:auto-cols-fr lg:grid-flow-col lg:grid-cols-none"
    >
      {children}
    </section>
  );
}
