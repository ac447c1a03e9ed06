import { cloneElement, type ReactElement, type ReactNode } from 'react';
import { formatExact, formatNumber } from '../../format/index.js';

interface TypeBarsProps {
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

interface SparklineProps {
  series: readonly number[];
  /** Sets the size and, as the text color, the color of the bars. */
  className: string;
}

const HEIGHT = 24;
/** Each bar is as wide as 3 units, with a gap of one unit. */
const STEP = 4;
/** A part with few jobs is visible even if another part has many. */
const MIN_HEIGHT = 2;

/** Small bars that show a course over time. The numbers must be on the page as text. */
export function Sparkline({ series, className }: SparklineProps) {
  const largest = Math.max(1, ...series);
  const heightOf = (value: number) => (value === 0 ? 0 : Math.max(MIN_HEIGHT, (value / largest) * HEIGHT));
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${series.length * STEP - 1} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={className}
    >
      <rect y={HEIGHT - 1} width="100%" height="1" fill="var(--line)" />
      {series.map((value, at) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts keep their order
          key={at}
          x={at * STEP}
          y={HEIGHT - heightOf(value)}
          width={STEP - 1}
          height={heightOf(value)}
          fill="currentColor"
        />
      ))}
    </svg>
  );
}
