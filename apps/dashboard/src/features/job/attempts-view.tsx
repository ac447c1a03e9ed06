import type { Schemas } from '@jobline/client';
import { Fragment, type ReactNode, useState } from 'react';
import { formatDuration } from '../../format/index.js';
import { cx, NARROW, TONE_CLASSES, TONE_TEXT, Tooltip, useMedia } from '../../ui/index.js';
import { ATTEMPT_LOOKS, type Attempt, attemptSentence, nextSentence, spanOf } from './attempts.js';

interface AttemptsProps {
  /** Whether the log, from which the attempts are read, has been loaded. */
  isKnown: boolean;
  attempts: readonly Attempt[];
  /** The attempts as the API shows them, with their workers and errors; undefined: not loaded. */
  history: readonly Schemas['Attempt'][] | undefined;
  now: number;
  /** When the next attempt is due; null if there is none. */
  nextAt: number | null;
  chosen: number | null;
  onChoose: (number: number | null) => void;
}

/** The attempts of a job, as a timeline or, in narrow windows, as a list, with the stack of an error. Selecting an attempt filters the log. */
export function Attempts(props: AttemptsProps) {
  const { isKnown, attempts, now, nextAt } = props;
  const isNarrow = useMedia(NARROW);
  const shown = attempts.map((attempt) => shownOf(attempt, props));
  const never = isKnown ? 'The job was never started.' : 'The attempts are shown when the log has loaded.';
  const rest = nextAt !== null ? nextSentence(attempts.length, nextAt, now) : attempts.length === 0 && never;
  const restMs = nextAt === null ? 0 : Math.max(nextAt, now) - (attempts.at(-1)?.endedAt ?? now);
  return (
    <>
      <section aria-label="Attempts" className="mb-4">
        {isNarrow ? <List attempts={shown} rest={rest} /> : <Timeline attempts={shown} rest={rest} restMs={restMs} />}
      </section>
      <Stack {...props} />
    </>
  );
}

function shownOf(attempt: Attempt, { history, now, chosen, onChoose }: AttemptsProps) {
  const worker = history?.find((one) => one.attempt === attempt.number)?.worker;
  const isChosen = attempt.number === chosen;
  return {
    ...attempt,
    ...ATTEMPT_LOOKS[attempt.end],
    spanMs: spanOf(attempt, now),
    /** Undefined: it does not name its version. */
    worker: worker && `${worker.name}, version ${worker.version}`,
    isChosen,
    choose: () => onChoose(isChosen ? null : attempt.number),
  };
}

interface ShownProps {
  attempts: readonly ReturnType<typeof shownOf>[];
  /** What follows the attempts; false: nothing. */
  rest: string | false;
}

/** How many attempts are listed before the user asks for more. */
const LISTED = 3;

function List({ attempts, rest }: ShownProps) {
  const [all, setAll] = useState(false);
  const isCut = !all && attempts.length > LISTED + 1;
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
      {attempts
        .slice(isCut ? -LISTED : 0)
        .map(({ number, word, icon: Icon, tone, spanMs, waitedMs, worker, isChosen, choose }) => (
          <li key={number}>
            <button
              type="button"
              aria-pressed={isChosen}
              onClick={choose}
              className={cx(
                'focus-inset flex min-h-row w-full flex-wrap items-center gap-x-2 px-3 py-1.5 text-left tabular-nums',
                isChosen && 'bg-accent-soft',
              )}
            >
              <Icon size={16} className={cx('shrink-0', TONE_TEXT[tone])} />
              <span className="font-medium">Attempt {number}</span>
              <span className={TONE_TEXT[tone]}>{word}</span>
              <span className="ml-auto">{formatDuration(spanMs)}</span>
              <span className="basis-full pl-6 text-meta wrap-anywhere text-muted">
                {[`waited ${formatDuration(waitedMs)}`, worker].filter(Boolean).join(' · ')}
              </span>
            </button>
          </li>
        ))}
      {rest && <li className="flex h-row items-center px-3 text-muted tabular-nums">{rest}</li>}
    </ul>
  );
}

/** The share of the total time from which a bar is wide enough for a label. */
const MIN_LABELED_SHARE = 0.08;

/** Attempts and waiting times as bars. The width is proportional to the duration, with a minimum for clicking. */
function Timeline({ attempts, rest, restMs }: ShownProps & { restMs: number }) {
  const totalMs = attempts.reduce((sum, { spanMs, waitedMs }, i) => sum + spanMs + (i > 0 ? waitedMs : 0), restMs);
  const labelOf = (ms: number) => ms >= totalMs * MIN_LABELED_SHARE && formatDuration(ms);
  return (
    <div className="flex h-9 items-stretch gap-1 overflow-x-auto rounded-control p-0.5">
      {attempts.map((attempt, i) => {
        const { number, waitedMs, spanMs, icon: Icon, tone, worker, isChosen, choose } = attempt;
        const sentence = `${attemptSentence(attempt, spanMs)}${worker ? `, by ${worker}` : ''}`;
        const label = labelOf(spanMs);
        return (
          <Fragment key={number}>
            {i > 0 && <Wait ms={waitedMs}>{labelOf(waitedMs)}</Wait>}
            <Tooltip content={`${sentence}. Click to show only its lines in the log.`}>
              <button
                type="button"
                aria-pressed={isChosen}
                onClick={choose}
                style={{ flex: `${Math.max(1, spanMs)} 0 auto` }}
                className={cx(
                  'inline-flex w-0 min-w-11 items-center justify-center gap-1 overflow-hidden rounded-[4px] border px-1',
                  'text-meta font-medium whitespace-nowrap tabular-nums transition-colors',
                  TONE_CLASSES[tone],
                  isChosen ? 'border-current ring-1 ring-current' : 'border-current/40 hover:border-current',
                )}
              >
                <span className="sr-only">{sentence}</span>
                <span aria-hidden="true" className="inline-flex min-w-0 items-center gap-1">
                  {number}
                  <Icon size={14} className="shrink-0" />
                  {label && <span className="ml-1 truncate font-normal">{label}</span>}
                </span>
              </button>
            </Tooltip>
          </Fragment>
        );
      })}
      {rest && (
        <Wait ms={restMs} wide>
          {rest}
        </Wait>
      )}
    </div>
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

/** Where the code of a handler threw the error of the chosen or the latest failed attempt, if the user may see it. */
function Stack({ history, attempts, chosen }: AttemptsProps) {
  const number = chosen ?? attempts.findLast(({ end }) => end === 'failed')?.number;
  const stack = history?.find(({ attempt }) => attempt === number)?.error?.stack;
  if (stack === undefined) return null;
  return (
    <details className="mb-4 rounded-card border border-line bg-surface px-4 py-3">
      <summary className="cursor-pointer text-body font-medium">Stack of the error of attempt {number}</summary>
      <p className="mt-2 text-meta text-muted">The lines of the handler’s own files are bold.</p>
      <pre className="mt-2 font-mono text-mono wrap-anywhere whitespace-pre-wrap">
        {stack.split('\n').map((line, index) => {
          const Line = isOwnFrame(line) ? 'strong' : 'span';
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a stack do not change
            <Line key={index} className={isOwnFrame(line) ? 'block font-bold' : 'block text-muted'}>
              {line}
            </Line>
          );
        })}
      </pre>
    </details>
  );
}

/** Whether a line of a stack is in a handler's own files: neither in Node nor in a package. The API leaves out those of Jobline. */
function isOwnFrame(line: string): boolean {
  return /^ +at /.test(line) && !/node:|[\\/]node_modules[\\/]|<anonymous>\)?$/.test(line);
}
