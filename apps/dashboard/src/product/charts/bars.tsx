import { Link } from '@tanstack/react-router';
import { formatExact, formatNumber } from '../../format/index.js';

/**
 * The most frequent types as bars, with links that filter the list of jobs. It is a list with numbers, so it needs no chart library
 * and no separate table. The numbers of jobs are undefined while they load.
 */
export function TypeBars({ byType, most }: { byType: Readonly<Record<string, number>> | undefined; most: number }) {
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
            <Link
              to="/"
              search={(now) => ({ ...now, view: undefined, type })}
              className="relative flex h-full min-w-0 items-center rounded-control px-2 font-mono hover:underline"
            >
              <span title={type} className="truncate">
                {type}
              </span>
            </Link>
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

const HEIGHT = 24;
/** Each bar is as wide as 3 units, with a gap of one unit. */
const STEP = 4;
/** A part with few jobs is visible even if another part has many. */
const MIN_HEIGHT = 2;

/** Small bars that show a course over time, in the color of the text. The numbers must be on the page as text. */
export function Sparkline({ series, className }: { series: readonly number[]; className: string }) {
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
