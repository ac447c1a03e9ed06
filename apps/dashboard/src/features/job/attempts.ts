import type { JobStatus } from '@jobline/contracts';
import type { LogLine } from '../../product/log/lines.js';

/** `lost`: its worker died. `returned`: its worker stopped and gave it back. Neither uses up a retry. */
export type AttemptEnd = 'running' | 'done' | 'failed' | 'canceled' | 'lost' | 'returned';

export interface Attempt {
  number: number;
  /** Milliseconds since 1970. */
  startedAt: number;
  /** While it runs, the time of its last line. */
  endedAt: number;
  end: AttemptEnd;
  /** How long the job waited before it, since the attempt before or since it was created. */
  waitedMs: number;
}

export interface JobTimes {
  status: JobStatus;
  createdAt: string;
  /** The code of a failed job's error. */
  errorCode: string | null;
}

/**
 * What the log says of the job's attempts, in order. An attempt is there once a line says that it started; what was
 * written after its end, as a payment's outcome or the cancel of a job that waits, makes it no longer.
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
      // What it says of itself is what counts; the line is written a little later.
      const [, took] = /^attempt \d+ succeeded in (\d+) ms$/.exec(message) ?? [];
      known.endedAt = took === undefined ? at : known.startedAt + Number(took);
    }
    before = Math.max(before, found.get(number)?.endedAt ?? before);
  }
  const attempts = [...found.values()];
  const last = attempts.at(-1);
  // A job that was ended from outside has no last word of its attempt.
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

/** How long an attempt took, or has taken by now. */
export function spanOf({ startedAt, endedAt, end }: Attempt, now: number): number {
  return Math.max(0, (end === 'running' ? Math.max(now, endedAt) : endedAt) - startedAt);
}

/** The attempt before or after the chosen one; from none, the last or the first; beyond the ends, none. */
export function stepAttempt(attempts: readonly Attempt[], chosen: number | null, step: -1 | 1): number | null {
  const numbers = attempts.map(({ number }) => number);
  if (chosen === null) return (step > 0 ? numbers[0] : numbers.at(-1)) ?? null;
  return numbers[numbers.indexOf(chosen) + step] ?? null;
}
