import { cx } from './cx.js';

export interface ProgressBarProps {
  /** The name of the work: "Retrying 12 jobs". */
  label: string;
  value: number;
  max: number;
  /** The value in words: "3 of 12 jobs". */
  text: string;
  className?: string | undefined;
}

/** How much of some work is complete. */
export function ProgressBar({ label, value, max, text, className }: ProgressBarProps) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={value}
      aria-valuetext={text}
      className={cx('h-2 overflow-hidden rounded-full bg-running-tint forced-colors:border', className)}
    >
      <div
        className="h-full rounded-full bg-running transition-[width] forced-colors:bg-[CanvasText]"
        style={{ width: `${max === 0 ? 100 : (value / max) * 100}%` }}
      />
    </div>
  );
}
