import { useState } from 'react';
import { formatDuration } from '../../format/index.js';
import { cx, NARROW, TONE_TEXT, useMedia } from '../../ui/index.js';
import { ATTEMPT_LOOKS, neverStarted, nextSentence } from './attempt-looks.js';
import { spanOf } from './attempts.js';
import { type AttemptsProps, AttemptsTimeline } from './attempts-timeline.js';

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

function AttemptsList({ isKnown, attempts, now, nextAt, chosen, onChoose }: AttemptsProps) {
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
                'focus-inset flex h-row w-full items-center gap-2 px-3 text-left tabular-nums',
                isChosen && 'bg-accent-soft',
              )}
            >
              <Icon aria-hidden="true" size={16} className={cx('shrink-0', TONE_TEXT[tone])} />
              <span className="font-medium">Attempt {attempt.number}</span>
              <span className={cx('truncate', TONE_TEXT[tone])}>{word}</span>
              <span className="ml-auto shrink-0">{formatDuration(spanMs)}</span>
              <span className="w-24 shrink-0 text-right text-meta text-muted">
                waited {formatDuration(attempt.waitedMs)}
              </span>
            </button>
          </li>
        );
      })}
      {nextAt !== null && (
        <li className="flex h-row items-center px-3 text-muted tabular-nums">
          {nextSentence(attempts.length, nextAt, now)}
        </li>
      )}
      {nextAt === null && attempts.length === 0 && (
        <li className="flex h-row items-center px-3 text-muted">{neverStarted(isKnown)}</li>
      )}
    </ul>
  );
}
