import type { JobStatus } from '@jobline/contracts';
import type { LogLine } from '../../product/log/lines.js';

/** `lost`: the worker died. `returned`: the worker stopped and released the job. Neither uses a retry. */
export type AttemptEnd = 'running' | 'done' | 'failed' | 'canceled' | 'lost' | 'returned';

export interface Attempt {
  number: number;
  /** Milliseconds since 1970. */
  startedAt: number;
  /** While the attempt runs, the time of its last log line. */
  endedAt: number;
  end: AttemptEnd;
  /** How long the job waited before the attempt, since the previous attempt or since its creation. */
  waitedMs: number;
}

export interface JobTimes {
  status: JobStatus;
  createdAt: string;
  /** The error code of a failed job. */
  errorCode: string | null;
}

/**
 * Reads the attempts of a job from its log, in order. An attempt exists when a line says that it started. Lines that
 * were written after its end, such as the outcome of a payment or the cancellation of a waiting job, do not extend it.
 */
export function attemptsOf(lines: readonly LogLine[], { status, createdAt, errorCode }: JobTimes): Attempt[] {
  const found = new Map<number, Attempt>();
  let before = Date.parse(createdAt);
  for (const { attempt: number, message, timestamp } of lines) {
    const at = Date.parse(timestamp);
    const known = found.get(number);
    if (!known) {
      if (message !== `attempt ${number} started`) continue;
      found.set(number, {
        number,
        startedAt: at,
        endedAt: at,
        end: 'running',
        waitedMs: Math.max(0, at - before),
      });
    } else if (known.end === 'running') {
      known.end = endOf(number, message);
      // The duration in the line is exact; the line itself is written slightly later.
      const [, took] = /^attempt \d+ succeeded in (\d+) ms$/.exec(message) ?? [];
      known.endedAt = took === undefined ? at : known.startedAt + Number(took);
    }
    before = Math.max(before, found.get(number)?.endedAt ?? before);
  }
  const attempts = [...found.values()];
  const last = attempts.at(-1);
  // A job that was finished from outside has no log line for the end of its attempt.
  if (last?.end === 'running' && status !== 'processing') {
    last.end = status === 'done' ? 'done' : errorCode === 'canceled' ? 'canceled' : 'failed';
  }
  return attempts;
}

function endOf(number: number, message: string): AttemptEnd {
  if (message.startsWith(`attempt ${number} succeeded in `)) return 'done';
  if (message.startsWith(`attempt ${number} failed: the job was canceled;`)) return 'canceled';
  if (message.startsWith(`attempt ${number} failed: `)) return 'failed';
  if (message.startsWith(`attempt ${number} handed back: `)) return 'returned';
  return message.startsWith(`the worker was lost during attempt ${number}; `) ? 'lost' : 'running';
}

/** Returns how long an attempt took or, if it is running, has taken so far. */
export function spanOf({ startedAt, endedAt, end }: Attempt, now: number): number {
  return Math.max(0, (end === 'running' ? Math.max(now, endedAt) : endedAt) - startedAt);
}

/** Returns the previous or next attempt. Without a selection, the last or first; beyond the ends, null. */
export function stepAttempt(attempts: readonly Attempt[], chosen: number | null, step: -1 | 1): number | null {
  const numbers = attempts.map(({ number }) => number);
  if (chosen === null) return (step > 0 ? numbers[0] : numbers.at(-1)) ?? null;
  return numbers[numbers.indexOf(chosen) + step] ?? null;
}
