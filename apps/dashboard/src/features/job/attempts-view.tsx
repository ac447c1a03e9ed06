import type { Schemas } from '@jobline/client';
import { Fragment, type ReactNode, useState } from 'react';
import { formatDuration } from '../../format/index.js';
import { cx, NARROW, TONE_TEXT, type Tone, Tooltip, useMedia } from '../../ui/index.js';
import { ATTEMPT_LOOKS, type Attempt, attemptSentence, neverStarted, nextSentence, spanOf } from './attempts.js';

/** The attempts of a job, as a timeline or, in narrow windows, as a list. Selecting an attempt filters the log. */
export function Attempts(props: AttemptsProps) {
  const isNarrow = useMedia(NARROW);
  return (
    <section aria-label="Attempts" className="mb-4">
      {isNarrow ? <AttemptsList {...props} /> : <AttemptsTimeline {...props} />}
    </section>
  );
}

/** How many attempts are listed before the user asks for more. */
const LISTED = 3;

function AttemptsList({ isKnown, attempts, history, now, nextAt, chosen, onChoose }: AttemptsProps) {
  const [all, setAll] = useState(false);
  const isCut = !all && attempts.length > LISTED + 1;
  const shown = isCut ? attempts.slice(-LISTED) : attempts;
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-card border border-line bg-surface">
      {isCut && (
        <li>
          <button
            type="button"
            onClick={() => setAll(true)}
            className="focus-inset h-row w-full px-3 text-left text-accent"
          >
            Show {attempts.length - LISTED} earlier attempts
          </button>
        </li>
      )}
      {shown.map((attempt) => {
        const { word, icon: Icon, tone } = ATTEMPT_LOOKS[attempt.end];
        const spanMs = spanOf(attempt, now);
        const isChosen = attempt.number === chosen;
        return (
          <li key={attempt.number}>
            <button
              type="button"
              aria-pressed={isChosen}
              onClick={() => onChoose(isChosen ? null : attempt.number)}
              className={cx(
                'focus-inset flex min-h-row w-full flex-wrap items-center gap-x-2 px-3 py-1.5 text-left tabular-nums',
                isChosen && 'bg-accent-soft',
              )}
            >
              <Icon aria-hidden="true" size={16} className={cx('shrink-0', TONE_TEXT[tone])} />
              <span className="font-medium">Attempt {attempt.number}</span>
              <span className={TONE_TEXT[tone]}>{word}</span>
              <span className="ml-auto">{formatDuration(spanMs)}</span>
              <span className="basis-full pl-6 text-meta wrap-anywhere text-muted">
                {[`waited ${formatDuration(attempt.waitedMs)}`, workerOf(history, attempt.number)]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </button>
          </li>
        );
      })}
      {(nextAt !== null || attempts.length === 0) && (
        <li className="flex h-row items-center px-3 text-muted tabular-nums">
          {nextAt === null ? neverStarted(isKnown) : nextSentence(attempts.length, nextAt, now)}
        </li>
      )}
    </ul>
  );
}

interface AttemptsProps {
  /** Whether the log, from which the attempts are read, has been loaded. */
  isKnown: boolean;
  attempts: readonly Attempt[];
  /** The attempts as the API shows them, with their workers; undefined: not loaded. */
  history: readonly Schemas['Attempt'][] | undefined;
  now: number;
  /** When the next attempt is due; null if there is none. */
  nextAt: number | null;
  chosen: number | null;
  onChoose: (number: number | null) => void;
}

/** The worker of an attempt, if it names its version. */
function workerOf(history: AttemptsProps['history'], number: number): string | undefined {
  const worker = history?.find(({ attempt }) => attempt === number)?.worker;
  return worker && `${worker.name}, version ${worker.version}`;
}

const LOOKS: Record<Tone, string> = {
  pending: 'bg-pending-tint text-pending border-pending/40 hover:border-pending',
  running: 'bg-running-tint text-running border-running/40 hover:border-running',
  done: 'bg-done-tint text-done border-done/40 hover:border-done',
  failed: 'bg-failed-tint text-failed border-failed/40 hover:border-failed',
  warning: 'bg-warning-tint text-warning border-warning/40 hover:border-warning',
};

/** The share of the total time from which a bar is wide enough for a label. */
const MIN_LABELED_SHARE = 0.08;

/** Attempts and waiting times as bars. The width is proportional to the duration, with a minimum for clicking. */
function AttemptsTimeline({ isKnown, attempts, history, now, nextAt, chosen, onChoose }: AttemptsProps) {
  const lastEnd = attempts.at(-1)?.endedAt ?? now;
  const restMs = nextAt === null ? 0 : Math.max(nextAt, now) - lastEnd;
  const totalMs =
    restMs +
    attempts.reduce((sum, attempt, index) => sum + spanOf(attempt, now) + (index > 0 ? attempt.waitedMs : 0), 0);
  const hasLabel = (ms: number) => ms >= totalMs * MIN_LABELED_SHARE;
  return (
    <div className="flex h-9 items-stretch gap-1 overflow-x-auto rounded-control p-0.5">
      {attempts.map((attempt, index) => (
        <Fragment key={attempt.number}>
          {index > 0 && (
            <Wait ms={attempt.waitedMs}>{hasLabel(attempt.waitedMs) && formatDuration(attempt.waitedMs)}</Wait>
          )}
          <Bar
            attempt={attempt}
            worker={workerOf(history, attempt.number)}
            spanMs={spanOf(attempt, now)}
            hasLabel={hasLabel(spanOf(attempt, now))}
            isChosen={attempt.number === chosen}
            onChoose={onChoose}
          />
        </Fragment>
      ))}
      {(nextAt !== null || attempts.length === 0) && (
        <Wait ms={restMs} wide>
          {nextAt === null ? neverStarted(isKnown) : nextSentence(attempts.length, nextAt, now)}
        </Wait>
      )}
    </div>
  );
}

interface BarProps {
  attempt: Attempt;
  worker: string | undefined;
  spanMs: number;
  hasLabel: boolean;
  isChosen: boolean;
  onChoose: (number: number | null) => void;
}

function Bar({ attempt, worker, spanMs, hasLabel, isChosen, onChoose }: BarProps) {
  const { icon: Icon, tone } = ATTEMPT_LOOKS[attempt.end];
  const sentence = `${attemptSentence(attempt, spanMs)}${worker ? `, by ${worker}` : ''}`;
  return (
    <Tooltip content={`${sentence}. Click to show only its lines in the log.`}>
      <button
        type="button"
        aria-pressed={isChosen}
        onClick={() => onChoose(isChosen ? null : attempt.number)}
        style={{ flex: `${Math.max(1, spanMs)} 0 auto` }}
        className={cx(
          'inline-flex w-0 min-w-11 items-center justify-center gap-1 overflow-hidden rounded-[4px] border px-1',
          'text-meta font-medium whitespace-nowrap tabular-nums transition-colors',
          LOOKS[tone],
          isChosen && 'border-current! ring-1 ring-current',
        )}
      >
        <span className="sr-only">{sentence}</span>
        <span aria-hidden="true" className="inline-flex min-w-0 items-center gap-1">
          {attempt.number}
          <Icon size={14} className="shrink-0" />
          {hasLabel && <span className="ml-1 truncate font-normal">{formatDuration(spanMs)}</span>}
        </span>
      </button>
    </Tooltip>
  );
}

function Wait({ ms, wide, children }: { ms: number; wide?: boolean; children: ReactNode }) {
  return (
    <span
      title={`waited ${formatDuration(ms)}`}
      style={{ flex: `${Math.max(1, ms)} 0 auto` }}
      className={cx(
        'inline-flex w-0 items-center justify-center overflow-hidden rounded-[4px] text-meta whitespace-nowrap text-muted tabular-nums',
        'bg-[repeating-linear-gradient(135deg,var(--line)_0_1px,transparent_1px_6px)]',
        wide ? 'min-w-56' : 'min-w-2',
      )}
    >
      {children && <span className="rounded-[4px] bg-canvas px-1.5">{children}</span>}
    </span>
  );
}
