import { cx } from '../../ui/index.js';
import type { Limit } from './use-limits.js';

/** How many jobs of a limit run, as a number and, if the limit bounds them together, as a bar. */
export function RunningBar({ limit }: { limit: Limit }) {
  const { running, concurrency, per } = limit;
  if (concurrency === null || per === 'key') return <span className="tabular-nums">{running.toLocaleString()}</span>;
  const share = Math.min(1, running / concurrency);
  return (
    <span className="flex items-center gap-2">
      <span
        aria-hidden="true"
        className="h-1.5 w-16 shrink-0 overflow-hidden rounded-full bg-running-tint forced-colors:border"
      >
        <span
          className={cx(
            'block h-full rounded-full',
            share === 1 ? 'bg-warning' : 'bg-running',
            'forced-colors:bg-[CanvasText]',
          )}
          style={{ width: `${share * 100}%` }}
        />
      </span>
      <span className="tabular-nums">
        {running.toLocaleString()} of {concurrency.toLocaleString()}
      </span>
    </span>
  );
}
