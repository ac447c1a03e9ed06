import { useEffect } from 'react';
import { announce, ProgressBar } from '../../ui/index.js';
import type { Job } from './queries.js';

/** How far the latest attempt is. */
export function JobProgress({ progress: { percent, text } }: { progress: NonNullable<Job['progress']> }) {
  const whole = Math.floor(percent);
  const quarter = Math.floor(percent / 25) * 25;
  useEffect(() => {
    // Rarely, so that a screen reader is not flooded.
    if (quarter > 0) announce(`Progress: ${quarter}%`);
  }, [quarter]);
  const value = `${whole}%${text ? `, ${text}` : ''}`;
  return (
    <div className="mb-4 flex flex-col gap-1">
      <ProgressBar label="Progress of the job" value={percent} max={100} text={value} />
      <p className="flex gap-2 text-meta text-muted tabular-nums">
        <span className="shrink-0">{whole}%</span>
        <span className="line-clamp-2 wrap-anywhere">{text}</span>
      </p>
    </div>
  );
}
