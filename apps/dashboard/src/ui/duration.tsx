import { formatExact } from '../format/format-number.js';
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
