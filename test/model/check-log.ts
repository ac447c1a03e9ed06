import type { JobStatus } from '@jobline/contracts';
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

/** The way to each status, by what a line says. `from` is where the job must be. */
const WAYS: readonly { status: JobStatus; message: RegExp; from: JobStatus; how: string }[] = [
  { status: 'processing', message: /^attempt \d+ started$/, from: 'pending', how: 'claimed' },
  { status: 'done', message: /^attempt \d+ succeeded /, from: 'processing', how: 'done' },
  { status: 'failed', message: /^attempt \d+ failed: .*no attempt follows$/, from: 'processing', how: 'failed' },
  { status: 'failed', message: /^attempt \d+ ended: /, from: 'processing', how: 'canceled' },
  {
    status: 'failed',
    message: /^the worker was lost during attempt \d+; .*no attempt follows$/,
    from: 'processing',
    how: 'lost',
  },
  { status: 'failed', message: /^the job was canceled$/, from: 'pending', how: 'canceled at once' },
  { status: 'failed', message: /^no handler /, from: 'pending', how: 'refused' },
  { status: 'pending', message: /^attempt \d+ failed: .*the next attempt is due/, from: 'processing', how: 'retry' },
  { status: 'pending', message: /^attempt \d+ handed back: /, from: 'processing', how: 'released' },
  {
    status: 'pending',
    message: /^the worker was lost during attempt \d+; the job is taken over$/,
    from: 'processing',
    how: 'taken over',
  },
  { status: 'pending', message: /^sent to run again: attempt \d+ follows/, from: 'failed', how: 'retried' },
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
    told.faults.push(`line "${line.message}" (attempt ${line.attempt}): ${why}`);
  for (const line of lines) {
    if (line.orgId !== row.orgId) fault(line, 'it belongs to another organization');
    if (line.status === null) {
      if (told.status !== 'processing' || line.attempt !== told.attempt)
        fault(line, `written while ${told.status}, attempt ${told.attempt}`);
      continue;
    }
    const way = WAYS.find(({ status, message }) => status === line.status && message.test(line.message));
    if (!way) {
      fault(line, `no way is known to ${line.status}`);
      continue;
    }
    note(`log: ${way.how}`);
    if (way.from !== told.status) fault(line, `the job was ${told.status}`);
    if (way.how === 'claimed') told.attempt++;
    if (way.how === 'refused') told.attempt++;
    if (way.how === 'canceled at once') told.canceledAtOnce++;
    if (way.how === 'retried') told.retried++;
    const named = /attempt (\d+)/.exec(line.message)?.[1];
    const expected = way.how === 'retried' ? told.attempt + 1 : told.attempt;
    if (named !== undefined && Number(named) !== expected) fault(line, `attempt ${expected} was due`);
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
  const isOwnFailure = / failed: boom /.test(message);
  if ((how === 'failed' || how === 'retry') && isOwnFailure) {
    return ended === 'retry' || ended === 'permanent' ? null : `its handler ended: ${ended}`;
  }
  return how === 'released' && / not yet /.test(message) && ended !== 'postpone' ? `its handler ended: ${ended}` : null;
}
