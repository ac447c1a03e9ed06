import type { Schemas } from '@jobline/client';
import { attemptOutcomeOf, type JobStatus } from '@jobline/contracts';
import { Ban, CircleCheck, CircleX, Loader, type LucideIcon, Undo2, Unplug } from 'lucide-react';
import { formatDuration } from '../../format/index.js';
import type { LogLine } from '../../product/log/lines.js';
import type { Tone } from '../../ui/index.js';

/** As in the API. */
type AttemptEnd = Schemas['Attempt']['outcome'];

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
}

/**
 * The job's attempts by its log, in order. An entry of the kind `started` begins one, the first entry with a duration
 * ends it; a later entry, such as a payment's outcome or the cancel of a waiting job, does not change it.
 */
export function attemptsOf(lines: readonly LogLine[], { status, createdAt }: JobTimes): Attempt[] {
  const found = new Map<number, Attempt>();
  let before = Date.parse(createdAt);
  for (const { attempt: number, kind, duration_ms: durationMs = null, timestamp } of lines) {
    const at = Date.parse(timestamp);
    const known = found.get(number);
    if (!known) {
      if (kind !== 'started') continue;
      found.set(number, { number, startedAt: at, endedAt: at, end: 'running', waitedMs: Math.max(0, at - before) });
    } else if (known.end === 'running') {
      known.end = durationMs === null || !kind ? 'running' : attemptOutcomeOf(kind);
      known.endedAt = durationMs === null ? at : known.startedAt + durationMs;
    }
    before = Math.max(before, found.get(number)?.endedAt ?? before);
  }
  const attempts = [...found.values()];
  const last = attempts.at(-1);
  // The job has finished, but the entry that ends its last attempt is missing.
  if (last?.end === 'running' && status !== 'processing') last.end = status === 'done' ? 'succeeded' : 'failed';
  return attempts;
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

export const ATTEMPT_LOOKS: Record<AttemptEnd, { word: string; icon: LucideIcon; tone: Tone }> = {
  running: { word: 'running', icon: Loader, tone: 'running' },
  succeeded: { word: 'done', icon: CircleCheck, tone: 'done' },
  failed: { word: 'failed', icon: CircleX, tone: 'failed' },
  canceled: { word: 'canceled', icon: Ban, tone: 'failed' },
  worker_lost: { word: 'worker lost', icon: Unplug, tone: 'warning' },
  released: { word: 'released', icon: Undo2, tone: 'pending' },
};

/** `Attempt 2: failed after 1.2 s, waited 1.0 s before it`. */
export function attemptSentence({ number, end, waitedMs }: Attempt, spanMs: number): string {
  const connects = end === 'running' ? 'for' : 'after';
  const waited = `waited ${formatDuration(waitedMs)} before it`;
  return `Attempt ${number}: ${ATTEMPT_LOOKS[end].word} ${connects} ${formatDuration(spanMs)}, ${waited}`;
}

/** Says when the next attempt starts. */
export function nextSentence(attemptCount: number, nextAt: number, now: number): string {
  const which = attemptCount === 0 ? 'First attempt' : 'Next attempt';
  return nextAt > now ? `${which} in ${formatDuration(nextAt - now)}` : `${which}: waiting to start`;
}
