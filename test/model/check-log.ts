import type { JobStatus, LogKind } from '@jobline/contracts';
import { type HandlerRun, STOPPED_LINE } from './history.js';
import type { JobRow, LineRow } from './rows.js';

/** The state of a job according to its log: its status at the end, and how often callers and the engine changed it. */
export interface LogState {
  problems: string[];
  status: JobStatus;
  attempt: number;
  canceledAtOnce: number;
  retried: number;
  changed: number;
}

/** The change to each status, by the kind of the entry. `from` is the status that the job must have before. */
const CHANGES: readonly { status: JobStatus; kind: LogKind; from: JobStatus; how: string }[] = [
  { status: 'processing', kind: 'started', from: 'pending', how: 'claimed' },
  { status: 'done', kind: 'succeeded', from: 'processing', how: 'done' },
  { status: 'failed', kind: 'failed', from: 'processing', how: 'failed' },
  { status: 'failed', kind: 'failed', from: 'pending', how: 'refused' },
  { status: 'failed', kind: 'canceled', from: 'processing', how: 'canceled' },
  { status: 'failed', kind: 'canceled', from: 'pending', how: 'canceled at once' },
  { status: 'failed', kind: 'worker_lost', from: 'processing', how: 'lost' },
  { status: 'pending', kind: 'failed', from: 'processing', how: 'retry' },
  { status: 'pending', kind: 'released', from: 'processing', how: 'released' },
  { status: 'pending', kind: 'worker_lost', from: 'processing', how: 'taken over' },
  { status: 'failed', kind: 'note', from: 'pending', how: 'waited in vain' },
  { status: 'pending', kind: 'note', from: 'failed', how: 'retried' },
  { status: 'pending', kind: 'note', from: 'failed', how: 'revived' },
  { status: 'pending', kind: 'note', from: 'pending', how: 'changed' },
];

/**
 * Follows a job through its log: each change of its status must begin at the status of the previous change, attempts
 * are numbered consecutively, each attempt has one end, and each end matches that of its handler.
 */
export function followLog(
  row: JobRow,
  lines: readonly LineRow[],
  runs: readonly HandlerRun[],
  note: (what: string) => void,
): LogState {
  const state: LogState = { problems: [], status: 'pending', attempt: 0, canceledAtOnce: 0, retried: 0, changed: 0 };
  const report = (line: LineRow, why: string) =>
    state.problems.push(`entry ${line.kind} "${line.message}" (attempt ${line.attempt}): ${why}`);
  for (const line of lines) {
    if (line.orgId !== row.orgId) report(line, 'it belongs to another organization');
    if (line.status === null) {
      if (state.status !== 'processing' || line.attempt !== state.attempt)
        report(line, `written while ${state.status}, attempt ${state.attempt}`);
      continue;
    }
    const changes = CHANGES.filter(({ status, kind }) => status === line.status && kind === line.kind);
    const isRevival = line.message?.startsWith('pending again') === true;
    const change =
      changes.find(({ from, how }) => from === state.status && (how === 'revived') === isRevival) ?? changes[0];
    if (!change) {
      report(line, `no change to ${line.status} is allowed`);
      continue;
    }
    note(`log: ${change.how}`);
    if (change.from !== state.status) report(line, `the job was ${state.status}`);
    const endsAttempt = change.how === 'refused' || (change.from === 'processing' && line.status !== 'processing');
    if (endsAttempt !== (line.durationMs !== null)) report(line, `its duration is ${line.durationMs}`);
    if (change.how === 'claimed') state.attempt++;
    if (change.how === 'refused') state.attempt++;
    if (change.how === 'canceled at once') state.canceledAtOnce++;
    if (change.how === 'retried') state.retried++;
    if (change.how === 'changed') state.changed++;
    if (line.attempt !== Math.max(1, state.attempt)) report(line, `the job was at attempt ${state.attempt}`);
    state.status = line.status;
    const why = contradiction(
      change.how,
      line,
      runs.find(({ attempt }) => attempt === state.attempt),
      lines,
    );
    if (why) report(line, why);
  }
  return state;
}

/** Returns a contradiction between the end of an attempt and the end of its handler, or null. */
function contradiction(
  how: string,
  { message, attempt }: LineRow,
  run: HandlerRun | undefined,
  lines: readonly LineRow[],
): string | null {
  const ended = run?.ended ?? 'not at all';
  if (how === 'done') return ended === 'done' ? null : `its handler ended: ${ended}`;
  const isOwnFailure = message?.startsWith('boom ') === true;
  if ((how === 'failed' || how === 'retry') && isOwnFailure) {
    return ended === 'retry' || ended === 'permanent' ? null : `its handler ended: ${ended}`;
  }
  if (how === 'released' && ended === 'stopped') {
    const isComplete = lines.some((line) => line.attempt === attempt && line.message === STOPPED_LINE);
    if (!isComplete) return 'the last line of its handler is missing';
  }
  return how === 'released' && message?.startsWith('not yet ') && ended !== 'postpone'
    ? `its handler ended: ${ended}`
    : null;
}
