import { cloneElement, type ReactElement, type ReactNode } from 'react';
import { formatExact, formatNumber } from '../../format/index.js';

export interface TypeBarsProps {
  /** The number of jobs by type. Undefined while the data loads. */
  byType: Readonly<Record<string, number>> | undefined;
  /** How many types are shown. Default: 5. */
  most?: number | undefined;
  /** Returns a `<Link …/>` without children. The name of the type becomes this link, as high as its row. */
  link?: ((type: string) => ReactElement<{ children?: ReactNode; className?: string }>) | undefined;
}

const nameClasses = 'block h-full rounded-control hover:underline';

function name(type: string): ReactNode {
  return (
    <span className="flex h-full items-center px-2">
      <span className="truncate">{type}</span>
    </span>
  );
}

/** The most frequent types as bars. It is a list with numbers, so it needs no chart library and no separate table. */
export function TypeBars({ byType, most = 5, link }: TypeBarsProps) {
  const all = Object.entries(byType ?? {}).sort(([, a], [, b]) => b - a);
  const shown = all.slice(0, most);
  const largest = shown[0]?.[1] ?? 1;
  return (
    <figure aria-label="Jobs by type" className="min-w-0">
      <figcaption className="mb-2 flex justify-between text-meta text-muted">
        <span>By type</span>
        {all.length > most && <span>{all.length - most} more</span>}
      </figcaption>
      <ul className="flex min-h-33 flex-col sm:min-h-30 sm:not-pointer-coarse:gap-1">
        {shown.map(([type, count]) => (
          <li
            key={type}
            className="relative flex h-5 items-center max-sm:h-11 pointer-coarse:h-11 justify-between gap-3 text-meta"
          >
            <span
              aria-hidden="true"
              style={{ width: `${Math.max(1, (count / largest) * 100)}%` }}
              className="absolute inset-y-0 left-0 my-auto h-5 rounded-[4px] bg-accent-soft forced-colors:border"
            />
            <span title={type} className="relative h-full min-w-0 font-mono">
              {link ? cloneElement(link(type), { className: nameClasses }, name(type)) : name(type)}
            </span>
            <span title={formatExact(count)} className="relative pr-2 tabular-nums">
              {formatNumber(count)}
            </span>
          </li>
        ))}
        {byType && shown.length === 0 && <li className="text-meta text-muted">No jobs in this period.</li>}
      </ul>
    </figure>
  );
}
