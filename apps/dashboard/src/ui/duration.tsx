import { formatExact, formatNumber } from '../format/format-number.js';
import { formatDuration } from '../format/format-time.js';

/** A duration. Hovering shows the exact milliseconds. */
export function Duration({ ms }: { ms: number | null | undefined }) {
  const exact = typeof ms === 'number' && ms >= 1_000 ? `${formatExact(ms)} ms` : undefined;
  return (
    <span title={exact} className="tabular-nums">
      {formatDuration(ms)}
    </span>
  );
}

/** A count. Hovering shows the exact number if the text is shortened. */
export function Count({ value }: { value: number | null | undefined }) {
  const short = formatNumber(value);
  const exact = formatExact(value);
  return (
    <span title={exact === short ? undefined : exact} className="tabular-nums">
      {short}
    </span>
  );
}
