import type { Recorded } from './records.js';

/** What must become of a job. */
export interface Expected {
  end: 'done' | 'failed';
  /** How many calls the receiver answers with an error before the last answer. */
  failures: number;
  /** How many lines the handler writes in an attempt that ends normally; null: not checked. */
  lines: number | null;
  /** Whether the calls of the handler contain the number of the attempt. */
  hasAttempts: boolean;
  /** Whether a webhook must get its end. */
  isReported: boolean;
}

/** What the public API says at the end. */
export interface Final {
  /** Undefined: the list of jobs does not contain it. */
  status: string | undefined;
  /** Null: not read. */
  story: Story | null;
}

/** What the public API says about the attempts of a job. */
export interface Story {
  log: LogEntry[];
  attempts: Attempt[];
}

export interface LogEntry {
  attempt: number;
  kind: string;
  timestamp: string;
  message: string;
}

export interface Attempt {
  attempt: number;
  outcome: string;
}

/** From the begin of a fault until everything runs again, in ms. */
export interface Window {
  from: number;
  to: number;
}

export const FINDINGS = [
  'lost',
  'stuck',
  'wrong end',
  'done without effect',
  'run again without reason',
  'interrupted outside of the fault',
  'same attempt run twice',
  'call without attempt',
  'unexpected failure',
  'log gap',
  'event missing',
] as const;
export type FindingKind = (typeof FINDINGS)[number];

export interface JobCheck {
  findings: { kind: FindingKind; detail: string }[];
  /** It called its receiver more often than planned. */
  isRepeated: boolean;
  /** Why its attempts were interrupted. */
  interruptions: string[];
}

const ENDS = ['succeeded', 'failed', 'released', 'worker_lost', 'canceled', 'expired'];
const INTERRUPTED = ['released', 'worker_lost'];
/** How long after a fault processes may still find connections that it broke. */
const SETTLE_MS = 30_000;

/** Compares what must become of an accepted job with what receivers saw and with what the API says. */
export function checkJob(expected: Expected, seen: Recorded, final: Final, fault: Window): JobCheck {
  const isRepeated = seen.calls > expected.failures + 1;
  const findings: JobCheck['findings'] = [];
  const add = (kind: FindingKind, detail: string) => findings.push({ kind, detail });
  const interruptions: string[] = [];
  const result = { findings, isRepeated, interruptions };
  if (final.status === undefined) {
    add('lost', 'the list of jobs does not contain it');
    return result;
  }
  if (final.status === 'pending' || final.status === 'processing') {
    add('stuck', final.status);
    return result;
  }

  if (final.status !== expected.end) add('wrong end', `${final.status}, not ${expected.end}`);
  if (seen.calls < expected.failures + 1) add('done without effect', `${seen.calls} calls`);
  if (seen.hasRepeatedAttempt) add('same attempt run twice', `attempts ${seen.attempts.join()}`);
  if (expected.isReported && !seen.isReported) add('event missing', 'no webhook got its end');
  if (final.story === null) return result;

  const attempts = attemptsIn(final.story.log);
  for (const gap of gapsIn(attempts, final.story, expected)) add('log gap', gap);
  if (seen.calls > attempts.length) add('call without attempt', `${seen.calls} calls, ${attempts.length} attempts`);
  const unlogged = expected.hasAttempts
    ? seen.attempts.filter((n) => !attempts.some(({ attempt }) => attempt === n))
    : [];
  if (unlogged.length > 0) add('call without attempt', `attempts ${unlogged.join()} are not in the log`);

  const interrupted = attempts.filter(({ end }) => INTERRUPTED.includes(end?.kind ?? ''));
  for (const { attempt, started, end } of interrupted) {
    interruptions.push((end?.message ?? '').replace(/attempt \d+/, 'attempt').replace(/;.*/, ''));
    if (Date.parse(started?.timestamp ?? '') > fault.to + SETTLE_MS || Date.parse(end?.timestamp ?? '') < fault.from)
      add('interrupted outside of the fault', `attempt ${attempt}: ${end?.message}`);
  }
  if (isRepeated && interrupted.length === 0) add('run again without reason', `${seen.calls} calls`);
  const failed = attempts.filter(({ end }) => end?.kind === 'failed');
  if (failed.length > expected.failures + (expected.end === 'failed' ? 1 : 0))
    add('unexpected failure', failed.map(({ end }) => end?.message).join('; '));
  return result;
}

interface LoggedAttempt {
  attempt: number;
  starts: number;
  ends: number;
  lines: number;
  started: LogEntry | undefined;
  end: LogEntry | undefined;
}

function attemptsIn(log: readonly LogEntry[]): LoggedAttempt[] {
  const attempts = new Map<number, LoggedAttempt>();
  for (const entry of log) {
    const { attempt, kind } = entry;
    if (attempt === 0) continue;
    const one = attempts.get(attempt) ?? { attempt, starts: 0, ends: 0, lines: 0, started: undefined, end: undefined };
    attempts.set(attempt, one);
    if (kind === 'started') {
      one.starts++;
      one.started = entry;
    } else if (ENDS.includes(kind)) {
      one.ends++;
      one.end = entry;
    } else if (kind === 'log') one.lines++;
  }
  return [...attempts.values()].sort((a, b) => a.attempt - b.attempt);
}

function gapsIn(attempts: readonly LoggedAttempt[], story: Story, { end, lines }: Expected): string[] {
  const gaps: string[] = [];
  for (const [i, one] of attempts.entries()) {
    const { attempt } = one;
    if (attempt !== i + 1) gaps.push(`attempt ${i + 1} is missing`);
    if (one.starts !== 1) gaps.push(`attempt ${attempt} has ${one.starts} starts`);
    if (one.ends !== 1) gaps.push(`attempt ${attempt} has ${one.ends} ends`);
    if (lines !== null && one.end?.kind === 'succeeded' && one.lines !== lines)
      gaps.push(`attempt ${attempt} has ${one.lines} of ${lines} lines`);
  }
  const last = attempts.at(-1)?.end?.kind;
  if (last !== (end === 'done' ? 'succeeded' : 'failed')) gaps.push(`the log ends with ${last ?? 'nothing'}`);
  const logged = attempts.map(({ attempt, end: ended }) => `${attempt} ${ended?.kind}`).join();
  const listed = story.attempts.map(({ attempt, outcome }) => `${attempt} ${outcome}`).join();
  if (logged !== listed) gaps.push(`the log has the attempts ${logged}, the list of attempts has ${listed}`);
  return gaps;
}
