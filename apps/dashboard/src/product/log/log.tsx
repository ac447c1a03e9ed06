import { ArrowDown, ArrowDownToLine, Clock3, WrapText } from 'lucide-react';
import { type ReactNode, type Ref, useCallback, useId, useImperativeHandle, useMemo, useState } from 'react';
import { formatCount } from '../../format/index.js';
import { CopyButton, cx, IconButton, isBoolean, Menu, Select, useStored } from '../../ui/index.js';
import { attemptsOf, type LevelFilter, type LogLine, linesFrom, logText, type TimeForm } from './lines.js';
import { LogAttempt } from './log-attempt.js';
import { useFollow, useNewLinesSentence } from './use-follow.js';

/** The actions of the page's keyboard shortcuts f and w. */
export interface LogHandle {
  toggleFollow: () => void;
  toggleWrap: () => void;
}

interface LogProps {
  /** The name of the log: "Log of send_sms 0192…9f3a". */
  label: string;
  lines: readonly LogLine[];
  /** Whether more lines may arrive. */
  live: boolean;
  /** Shown while there are no lines. Depends on the job's status. */
  empty: ReactNode;
  /** Shows only the lines of this attempt. */
  attempt?: number | null | undefined;
  /** An attempt with at least this many lines shows that its log was truncated. Default: 1,000. */
  limit?: number | undefined;
  /** Content at the end of the toolbar, such as LivePill. */
  aside?: ReactNode;
  /** Sets the height. */
  className?: string | undefined;
  ref?: Ref<LogHandle> | undefined;
}

const TIME_FORMS: readonly unknown[] = ['local', 'utc', 'elapsed', 'none'];
const isTimeForm = (value: unknown): value is TimeForm => TIME_FORMS.includes(value);

/** A job's log. Follows its end while the user is there. Every line is in the page, so that find and copy work. */
export function Log({ label, lines, live, empty, attempt, limit = 1_000, aside, className, ref }: LogProps) {
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
  useImperativeHandle(ref, () => ({ toggleFollow, toggleWrap: () => setWrap(!wrap) }));

  return (
    <div className={cx('relative flex min-h-48 min-w-0 flex-col', className)}>
      <LogToolbar
        lines={visible}
        level={level}
        onLevel={setLevel}
        wrap={wrap}
        onWrap={setWrap}
        time={time}
        onTime={setTime}
        following={following}
        onFollow={toggleFollow}
        live={live}
        aside={aside}
      />
      <div
        ref={box}
        role="log"
        aria-label={label}
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
              cut={
                level === 'all' && ofAttempt.length >= limit
                  ? `Truncated: an attempt keeps ${formatCount(limit, 'line')}.`
                  : undefined
              }
            />
          ))}
          {attempts.length === 0 && (
            <div className="p-6 text-center font-sans text-body text-muted">
              {lines.length === 0 ? empty : 'No lines of this level.'}
            </div>
          )}
        </div>
      </div>
      {live && !following && (
        <button
          type="button"
          onClick={resume}
          className="absolute inset-x-0 bottom-3 z-10 mx-auto inline-flex h-8 w-fit animate-fade items-center gap-2 rounded-full bg-surface px-3 text-mono font-medium shadow-pop hover:bg-sunken"
        >
          Paused{missed > 0 && ` · ${formatCount(missed, 'new line')}`}
          <ArrowDown aria-hidden="true" size={14} />
        </button>
      )}
      <span id={hintId} className="sr-only">
        Press End to go to the latest line and follow it.
      </span>
      <span role="status" className="sr-only">
        {live ? sentence : ''}
      </span>
    </div>
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

interface LogToolbarProps {
  lines: readonly LogLine[];
  level: LevelFilter;
  onLevel: (level: LevelFilter) => void;
  wrap: boolean;
  onWrap: (wrap: boolean) => void;
  time: TimeForm;
  onTime: (time: TimeForm) => void;
  following: boolean;
  onFollow: () => void;
  /** Whether more lines may arrive. */
  live: boolean;
  aside?: ReactNode;
}

function LogToolbar(props: LogToolbarProps) {
  const { lines, level, onLevel, wrap, onWrap, time, onTime, following, onFollow, live, aside } = props;
  return (
    <div className="flex min-h-11 flex-wrap items-center gap-1 border-b border-line px-2 py-1">
      <Select label="Level" size="small" options={LEVEL_OPTIONS} value={level} onChange={onLevel} className="mr-1" />
      <IconButton
        label="Wrap lines"
        tooltip="Wrap lines (w)"
        icon={<WrapText />}
        size="small"
        pressed={wrap}
        onClick={() => onWrap(!wrap)}
      />
      <Menu
        align="start"
        trigger={<IconButton label="Times" icon={<Clock3 />} size="small" />}
        groups={[
          TIME_OPTIONS.map(({ value, label }) => ({ label, checked: value === time, onSelect: () => onTime(value) })),
        ]}
      />
      <IconButton
        label="Follow the end"
        tooltip="Follow the end (f)"
        icon={<ArrowDownToLine />}
        size="small"
        pressed={following}
        onClick={onFollow}
      />
      <CopyButton text={logText(lines)} label="Copy the log" className="size-7!" />
      <span className="ml-auto flex items-center gap-2 px-1 text-meta text-muted">
        {aside}
        {live && <span>{following ? 'Following' : 'Paused'}</span>}
      </span>
    </div>
  );
}
