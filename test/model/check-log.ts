import type { JobStatus, LogKind } from '@jobline/contracts';
import type { HandlerRun } from './history.js';
import type { JobRow, LineRow } from './rows.js';

/** What a job's log tells: where it ends, and how often people and the engine moved it. */
export interface Told {
  faults: string[];
  status: JobStatus;
  attempt: number;
  canceledAtOnce: number;
  retried: number;
}

/** The way to each status, by what an entry reports. `from` is where the job must be. */
const WAYS: readonly { status: JobStatus; kind: LogKind; from: JobStatus; how: string }[] = [
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
  { status: 'pending', kind: 'note', from: 'failed', how: 'retried' },
];

/**
 * Follows a job through its log, line by line: every change of its status must begin where the one before ended, attempts are
 * numbered one after the other, each has one end, and each end is the one that its handler gave it.
 */
export function followLog(
  row: JobRow,
  lines: readonly LineRow[],
  runs: readonly HandlerRun[],
  note: (what: string) => void,
): Told {
  const told: Told = { faults: [], status: 'pending', attempt: 0, canceledAtOnce: 0, retried: 0 };
  const fault = (line: LineRow, why: string) =>
    told.faults.push(`entry ${line.kind} "${line.message}" (attempt ${line.attempt}): ${why}`);
  for (const line of lines) {
    if (line.orgId !== row.orgId) fault(line, 'it belongs to another organization');
    if (line.status === null) {
      if (told.status !== 'processing' || line.attempt !== told.attempt)
        fault(line, `written while ${told.status}, attempt ${told.attempt}`);
      continue;
    }
    const ways = WAYS.filter(({ status, kind }) => status === line.status && kind === line.kind);
    const way = ways.find(({ from }) => from === told.status) ?? ways[0];
    if (!way) {
      fault(line, `no way is known to ${line.status}`);
      continue;
    }
    note(`log: ${way.how}`);
    if (way.from !== told.status) fault(line, `the job was ${told.status}`);
    const endsAttempt = way.how === 'refused' || (way.from === 'processing' && line.status !== 'processing');
    if (endsAttempt !== (line.durationMs !== null)) fault(line, `its duration is ${line.durationMs}`);
    if (way.how === 'claimed') told.attempt++;
    if (way.how === 'refused') told.attempt++;
    if (way.how === 'canceled at once') told.canceledAtOnce++;
    if (way.how === 'retried') told.retried++;
    if (line.attempt !== Math.max(1, told.attempt)) fault(line, `the job was at attempt ${told.attempt}`);
    told.status = line.status;
    const why = contradiction(
      way.how,
      line,
      runs.find(({ attempt }) => attempt === told.attempt),
    );
    if (why) fault(line, why);
  }
  return told;
}

/** Whether an attempt's end is another than its handler's. */
function contradiction(how: string, { message }: LineRow, run: HandlerRun | undefined): string | null {
  const ended = run?.ended ?? 'not at all';
  if (how === 'done') return ended === 'done' ? null : `its handler ended: ${ended}`;
  const isOwnFailure = message?.startsWith('boom ') === true;
  if ((how === 'failed' || how === 'retry') && isOwnFailure) {
    return ended === 'retry' || ended === 'permanent' ? null : `its handler ended: ${ended}`;
  }
  return how === 'released' && message?.startsWith('not yet ') && ended !== 'postpone'
    ? `its handler ended: ${ended}`
    : null;
}
