import type { Job } from '@jobline/client';
import { ArrowDown, ArrowDownToLine, ChevronRight, Clock3, Download, WrapText } from 'lucide-react';
import {
  Fragment,
  memo,
  type ReactNode,
  type Ref,
  useCallback,
  useId,
  useImperativeHandle,
  useMemo,
  useState,
} from 'react';
import { formatCount } from '../../format/index.js';
import {
  CopyButton,
  cx,
  FilterChip,
  IconButton,
  isBoolean,
  LivePill,
  type LiveState,
  Menu,
  Select,
  useStored,
} from '../../ui/index.js';
import { saveBlob } from '../save-blob.js';
import {
  attemptsOf,
  type LevelFilter,
  type LogLine,
  linesFrom,
  lineTime,
  logText,
  newDate,
  type TimeForm,
} from './lines.js';
import { useFollow, useNewLinesSentence } from './use-follow.js';

/** The actions of the page's keyboard shortcuts. */
export interface LogHandle {
  focus: () => void;
  toggleFollow: () => void;
  toggleWrap: () => void;
}

interface LogProps {
  job: Pick<Job, 'id' | 'type' | 'status'>;
  lines: readonly LogLine[];
  /** How the page receives new lines; null: it is not known. */
  live: LiveState | null;
  /** Shown while there are no lines. */
  empty: ReactNode;
  /** Shows only the lines of this attempt; null: those of all. */
  attempt: number | null;
  onAttempt: (number: number | null) => void;
  /** Sets the height. */
  className: string;
  ref: Ref<LogHandle>;
}

/** A job's log. Follows its end while the user is there. Every line is in the page, so that find and copy work. */
export function Log({ job, lines, live, empty, attempt, onAttempt, className, ref }: LogProps) {
  const mayGrow = job.status === 'pending' || job.status === 'processing';
  const hintId = useId();
  const [level, setLevel] = useState<LevelFilter>('all');
  const [wrap, setWrap] = useStored('log-wrap', true, isBoolean);
  const [time, setTime] = useStored<TimeForm>('log-time', 'local', isTimeForm);
  /** The attempts that the user opened or closed. By default only the latest is open. */
  const [chosen, setChosen] = useState<ReadonlyMap<number, boolean>>(new Map());

  const visible = useMemo(
    () => linesFrom(attempt ? lines.filter((line) => line.attempt === attempt) : lines, level),
    [lines, attempt, level],
  );
  const attempts = useMemo(() => attemptsOf(visible), [visible]);
  const last = attempts.at(-1)?.number;
  const { box, following, onScroll, resume, pause, missed } = useFollow(lines.length);
  const sentence = useNewLinesSentence(lines);

  const toggle = useCallback(
    (number: number) => setChosen((now) => new Map(now).set(number, !(now.get(number) ?? number === last))),
    [last],
  );
  const toggleFollow = () => (following ? pause() : resume());
  const focus = () => box.current?.focus();
  useImperativeHandle(ref, () => ({ focus, toggleFollow, toggleWrap: () => setWrap(!wrap) }));

  return (
    <section
      aria-label="Log"
      className={cx(
        'relative flex min-h-48 min-w-0 flex-col overflow-clip rounded-card border border-line bg-surface',
        className,
      )}
    >
      <div className="flex min-h-11 flex-wrap items-center gap-1 border-b border-line px-2 py-1">
        <Select label="Level" size="small" options={LEVEL_OPTIONS} value={level} onChange={setLevel} className="mr-1" />
        <IconButton
          label="Wrap lines"
          tooltip="Wrap lines (w)"
          icon={<WrapText />}
          size="small"
          pressed={wrap}
          onClick={() => setWrap(!wrap)}
        />
        <Menu
          align="start"
          trigger={<IconButton label="Times" icon={<Clock3 />} size="small" />}
          groups={[
            TIME_OPTIONS.map(({ value, label }) => ({
              label,
              checked: value === time,
              onSelect: () => setTime(value),
            })),
          ]}
        />
        <IconButton
          label="Follow the end"
          tooltip="Follow the end (f)"
          icon={<ArrowDownToLine />}
          size="small"
          pressed={following}
          onClick={toggleFollow}
        />
        <CopyButton text={logText(visible)} label="Copy the log" className="size-7!" />
        <span className="ml-auto flex items-center gap-2 px-1 text-meta text-muted">
          {attempt !== null && <FilterChip name="Attempt" value={String(attempt)} onRemove={() => onAttempt(null)} />}
          {live && mayGrow && <LivePill state={live} />}
          <IconButton
            label="Download the log"
            icon={<Download />}
            size="small"
            onClick={() => saveBlob(new Blob([logText(lines), '\n'], { type: 'text/plain' }), `${job.id}.log`)}
          />
          {mayGrow && <span>{following ? 'Following' : 'Paused'}</span>}
        </span>
      </div>
      <div
        ref={box}
        role="log"
        aria-label={`Log of ${job.type} ${job.id}`}
        aria-live="off"
        aria-describedby={hintId}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
        tabIndex={0}
        onScroll={onScroll}
        className="focus-inset min-h-0 flex-1 overflow-auto overscroll-contain font-mono text-mono"
      >
        <div className={wrap ? undefined : 'w-max min-w-full'}>
          {attempts.map(({ number, lines: ofAttempt }) => (
            <LogAttempt
              key={number}
              number={number}
              lines={ofAttempt}
              headed={attempts.length > 1 || number > 1}
              open={chosen.get(number) ?? (number === last || attempt === number)}
              onToggle={toggle}
              wrap={wrap}
              time={time}
            />
          ))}
          {attempts.length === 0 && (
            <div className="p-6 text-center font-sans text-body text-muted">
              {lines.length === 0 ? empty : 'No lines of this level.'}
            </div>
          )}
        </div>
      </div>
      {mayGrow && !following && (
        <button
          type="button"
          onClick={resume}
          className="absolute inset-x-0 bottom-3 z-10 mx-auto inline-flex h-8 w-fit animate-fade items-center gap-2 rounded-full bg-surface px-3 text-mono font-medium shadow-pop hover:bg-sunken"
        >
          Paused{missed > 0 && ` · ${formatCount(missed, 'new line')}`}
          <ArrowDown size={14} />
        </button>
      )}
      <span id={hintId} className="sr-only">
        Press End to go to the latest line and follow it.
      </span>
      <span role="status" className="sr-only">
        {mayGrow ? sentence : ''}
      </span>
    </section>
  );
}

const LEVEL_OPTIONS = [
  { value: 'all', label: 'All levels' },
  { value: 'info', label: 'Info and up' },
  { value: 'warn', label: 'Warnings, errors' },
  { value: 'error', label: 'Errors' },
] as const;

const TIME_OPTIONS = [
  { value: 'local', label: 'Local time' },
  { value: 'utc', label: 'UTC' },
  { value: 'elapsed', label: 'Since the start' },
  { value: 'none', label: 'No times' },
] as const;

const isTimeForm = (form: unknown): form is TimeForm => TIME_OPTIONS.some(({ value }) => value === form);

interface LogAttemptProps {
  number: number;
  lines: readonly LogLine[];
  /** Whether the attempt has a header, which is needed if there are several attempts. */
  headed: boolean;
  open: boolean;
  onToggle: (number: number) => void;
  wrap: boolean;
  time: TimeForm;
}

/** The lines of one attempt. A collapsed attempt renders no lines. */
const LogAttempt = memo(function LogAttempt(props: LogAttemptProps) {
  const { number, lines, headed, open, onToggle, wrap, time } = props;
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
          <ChevronRight size={14} className={cx('transition-transform', open && 'rotate-90')} />
          Attempt {number}
          <span className="font-normal tabular-nums">{formatCount(lines.length, 'line')}</span>
          {errors > 0 && <span className="font-normal text-failed tabular-nums">{formatCount(errors, 'error')}</span>}
        </button>
      )}
      {open && (
        <div className={cx('py-1', !wrap && 'w-max min-w-full')}>
          {lines.map((line, index) => {
            const date = newDate(lines, index, time);
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines are only appended, and have no id
              <Fragment key={index}>
                {date && <p className="px-3 font-sans text-meta text-muted select-none">{date}</p>}
                <Line line={line} wrap={wrap} time={time} startedAt={startedAt} />
              </Fragment>
            );
          })}
        </div>
      )}
    </div>
  );
});

const LEVELS: Record<LogLine['level'], string> = {
  debug: 'text-muted',
  info: 'text-running',
  warn: 'text-warning',
  error: 'text-failed font-semibold',
};

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
