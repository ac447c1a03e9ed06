import { ChevronRight } from 'lucide-react';
import { Fragment, memo } from 'react';
import { formatCount } from '../../format/index.js';
import { cx } from '../../ui/index.js';
import { type LogLevel, type LogLine, lineTime, newDate, type TimeForm } from './lines.js';

const LEVELS: Record<LogLevel, string> = {
  debug: 'text-muted',
  info: 'text-running',
  warn: 'text-warning',
  error: 'text-failed font-semibold',
};

interface LogAttemptProps {
  number: number;
  lines: readonly LogLine[];
  /** Whether the attempt has a header, which is needed if there are several attempts. */
  headed: boolean;
  open: boolean;
  onToggle: (number: number) => void;
  wrap: boolean;
  time: TimeForm;
  /** A note that the limit of the log was reached. */
  cut?: string | undefined;
}

/** The lines of one attempt. A collapsed attempt renders no lines. */
export const LogAttempt = memo(function LogAttempt(props: LogAttemptProps) {
  const { number, lines, headed, open, onToggle, wrap, time, cut } = props;
  const startedAt = lines[0]?.timestamp ?? '';
  const errors = lines.filter(({ level }) => level === 'error').length;
  return (
    <div>
      {headed && (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => onToggle(number)}
          className="focus-inset sticky top-0 left-0 z-10 flex w-full items-center gap-1.5 border-b border-line bg-sunken px-3 py-1.5 text-left font-sans text-meta font-medium text-muted hover:text-text"
        >
          <ChevronRight aria-hidden="true" size={14} className={cx('transition-transform', open && 'rotate-90')} />
          Attempt {number}
          <span className="font-normal tabular-nums">{formatCount(lines.length, 'line')}</span>
          {errors > 0 && <span className="font-normal text-failed tabular-nums">{formatCount(errors, 'error')}</span>}
        </button>
      )}
      {open && (
        <div className={cx('py-1', !wrap && 'w-max min-w-full')}>
          {lines.map((line, index) => (
            // Lines are only appended, and have no id.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <Fragment key={index}>
              <NewDate date={newDate(lines, index, time)} />
              <Line line={line} wrap={wrap} time={time} startedAt={startedAt} />
            </Fragment>
          ))}
          {cut && <p className="px-3 py-1 font-sans text-meta text-warning">{cut}</p>}
        </div>
      )}
    </div>
  );
});

function NewDate({ date }: { date: string | undefined }) {
  return date && <p className="px-3 font-sans text-meta text-muted select-none">{date}</p>;
}

interface LineProps {
  line: LogLine;
  wrap: boolean;
  time: TimeForm;
  startedAt: string;
}

const Line = memo(function Line({ line: { timestamp, level, message }, wrap, time, startedAt }: LineProps) {
  return (
    <div
      className={cx(
        'offscreen-skip flex gap-x-3 px-3 hover:bg-hover',
        wrap && 'max-sm:flex-wrap max-sm:py-0.5',
        level === 'error' && 'bg-failed-tint/60',
        level === 'warn' && 'bg-warning-tint/60',
      )}
    >
      {time !== 'none' && (
        <time dateTime={timestamp} className="shrink-0 text-muted tabular-nums select-none">
          {lineTime(timestamp, time, startedAt)}
        </time>
      )}
      <span className={cx('w-10 shrink-0 max-sm:w-auto', LEVELS[level])}>{level === 'error' ? 'ERROR' : level}</span>
      <span className={wrap ? 'min-w-0 flex-1 wrap-anywhere whitespace-pre-wrap max-sm:basis-full' : 'whitespace-pre'}>
        {message}
      </span>
    </div>
  );
});
