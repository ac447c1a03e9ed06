import { useState, useSyncExternalStore } from 'react';
import { formatExact, UNKNOWN } from '../format/numbers.js';
import { formatDuration, formatMoment, formatRelative, TICK_MS } from '../format/times.js';
import { CopyButton, copyText } from './copy.js';
import { useInRow } from './hooks.js';
import { Tooltip } from './tooltip.js';

interface TimeProps {
  /** ISO 8601. Null is shown as `unknown`. */
  value: string | null | undefined;
  /** The text for a missing value. Default: –. */
  unknown?: string | undefined;
  /** `relative` ("3 min ago"), or `full` with date and zone. */
  form?: 'relative' | 'full' | undefined;
  className?: string | undefined;
}

/** A date and time. Hover or focus shows local time, UTC and ISO 8601. A click copies the ISO text. */
export function Time({ value, unknown = UNKNOWN, form = 'relative', className }: TimeProps) {
  const now = useNow();
  const inRow = useInRow();
  // The shared clock may be up to 30 s behind a time that has just arrived.
  const [mounted] = useState(Date.now);
  if (!value || Number.isNaN(Date.parse(value))) return <span className={className}>{unknown}</span>;

  const text = form === 'full' ? formatMoment(value) : formatRelative(value, latest(value, now, mounted));
  const time = (
    <time dateTime={value} className={inRow ? className : undefined}>
      {text}
    </time>
  );
  return (
    <Tooltip content={<TimeDetails value={value} />}>
      {inRow ? (
        time
      ) : (
        <button type="button" onClick={() => void copyText(value)} className={className}>
          {time}
        </button>
      )}
    </Tooltip>
  );
}

function TimeDetails({ value }: { value: string }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] items-center gap-x-3 gap-y-1 tabular-nums">
      <dt className="text-muted">Local</dt>
      <dd>{formatMoment(value)}</dd>
      <dt className="text-muted">UTC</dt>
      <dd>{formatMoment(value, 'UTC')}</dd>
      <dt className="text-muted">ISO</dt>
      <dd className="flex items-center gap-1 font-mono">
        {value}
        <CopyButton text={value} label="Copy ISO time" />
      </dd>
    </dl>
  );
}

function latest(value: string, now: number, mounted: number): number {
  const at = Date.parse(value);
  const seen = Math.max(now, mounted);
  // The browser's clock may be slightly behind the server's. A time that the server has just sent is not in the future.
  return at > seen && at - seen < 35_000 && mounted - now < 35_000 ? Math.max(seen, at) : seen;
}

/** A duration. Hovering shows the exact milliseconds. */
export function Duration({ ms }: { ms: number | null | undefined }) {
  const exact = typeof ms === 'number' && ms >= 1_000 ? `${formatExact(ms)} ms` : undefined;
  return (
    <span title={exact} className="tabular-nums">
      {formatDuration(ms)}
    </span>
  );
}

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** Returns the current time, updated every 30 s. One timer serves the page, and stops when no component needs it. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    tick();
    timer = setInterval(tick, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}
