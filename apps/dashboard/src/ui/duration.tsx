import { formatExact, formatNumber } from '../format/format-number.js';
import { formatDuration } from '../format/format-time.js';

/** How long something took; exact milliseconds on hover. */
export function Duration({ ms }: { ms: number | null | undefined }) {
  const exact = typeof ms === 'number' && ms >= 1_000 ? `${formatExact(ms)} ms` : undefined;
  return (
    <span title={exact} className="tabular-nums">
      {formatDuration(ms)}
    </span>
  );
}

/** A count; exact on hover where it is shortened. */
export function Count({ value }: { value: number | null | undefined }) {
  const short = formatNumber(value);
  const exact = formatExact(value);
  return (
    <span title={exact === short ? undefined : exact} className="tabular-nums">
      {short}
    </span>
  );
}
