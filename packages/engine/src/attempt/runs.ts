import { LIMITS, type OrgId } from '@jobline/contracts';
import type { Claim, LogLine, RunningLine } from '@jobline/db/job-transitions';
import { NOTES, REASONS } from '../reporting/job-log.js';
import { createLineBuffer, type LineBuffer, type LogBudget, lengthOf } from './line-buffer.js';

/** An attempt that this worker runs. */
export interface Attempt {
  readonly claim: Claim;
  /** Whether its entry had low priority. The entry of its retry gets the same priority. */
  readonly isLowPriority: boolean;
  readonly log: LineBuffer;
  /** Fires when the time limit has passed, the run is interrupted or its job is canceled. */
  readonly stop: Stop;
  /** Whether its handler has returned: then its lines are written in turns with its outcome. */
  hasReturned: boolean;
  /** The write of log lines that is in progress. The outcome of the attempt is written after it. */
  flushing: Promise<void> | null;
}

/**
 * Stops a run: because of its time limit, an interruption or a cancellation. Its AbortSignal is created only for a handler
 * that asks for it. To create one takes as long as the rest of a short run.
 */
export type Stop = ReturnType<typeof createStop>;

/** The reason of the signal of an interrupted run. */
export class Interruption extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Interruption';
  }
}

/** The reason of the signal of a run whose job was canceled. */
export class Cancellation extends Error {
  constructor() {
    super(REASONS.canceled);
    this.name = 'Cancellation';
  }
}

/** The runs of this worker: claims in progress, and attempts until their outcome is recorded. */
export type Runs = ReturnType<typeof createRuns>;

/**
 * Writes lines. Returns the tokens of the jobs whose rows another transaction has locked. No line of these jobs was
 * written.
 */
export type AppendLines = (lines: readonly RunningLine[]) => Promise<ReadonlySet<string>>;

/** Limit of characters of log lines per statement. The lines of the next attempt go into another statement. */
const MAX_STATEMENT_LENGTH = 1024 * 1024;

export function createRuns() {
  const expected = new Set<string>();
  const attempts = new Map<string, Attempt>();
  /** Tokens of claims in progress whose jobs are canceled. */
  const canceled = new Set<string>();
  /** How many characters of log lines of each organization wait to be stored. */
  const waitingLogs = new Map<OrgId, number>();

  function logBudgetOf(orgId: OrgId): LogBudget {
    const waiting = () => waitingLogs.get(orgId) ?? 0;
    return {
      isUsed: () => waiting() >= LIMITS.logCharsWaiting,
      add(length) {
        const sum = waiting() + length;
        if (sum > 0) waitingLogs.set(orgId, sum);
        else waitingLogs.delete(orgId);
      },
    };
  }

  function forget(token: string): void {
    expected.delete(token);
    canceled.delete(token);
  }

  function fireCancel({ stop, log }: Attempt): void {
    if (stop.reason()) return;
    log.write('warn', NOTES.cancelRequested, 'canceled');
    stop.fire(new Cancellation());
  }

  return {
    /** A claim with this token is in progress. */
    expect: (token: string): void => void expected.add(token),
    /** The claim did not succeed. */
    forget,
    open(claim: Claim, isLowPriority = false): Attempt {
      const attempt: Attempt = {
        claim,
        isLowPriority,
        log: createLineBuffer(claim.startedAt, logBudgetOf(claim.orgId)),
        stop: createStop(),
        hasReturned: false,
        flushing: null,
      };
      attempts.set(claim.token, attempt);
      if (canceled.has(claim.token)) fireCancel(attempt);
      forget(claim.token);
      return attempt;
    },
    close(attempt: Attempt): void {
      attempt.log.release();
      attempts.delete(attempt.claim.token);
    },
    has: (token: string): boolean => expected.has(token) || attempts.has(token),
    size: (): number => expected.size + attempts.size,
    /**
     * Fires the signal of the run with this token, if there is one. If its claim is in progress, the signal fires when
     * the run opens.
     */
    cancel(token: string): void {
      const attempt = attempts.get(token);
      if (attempt) fireCancel(attempt);
      else if (expected.has(token)) canceled.add(token);
    },
    /** Fires the signals of all runs. */
    interruptAll(reason: string): void {
      for (const { stop } of attempts.values()) stop.fire(new Interruption(reason));
    },
    /**
     * Writes pending log lines, of all attempts whose handlers run or of the given one, in statements of bounded length: of each
     * attempt at most as many as fit into one statement. Lines that cannot be written are kept for the next call and are never
     * written twice. Returns the organizations that have new lines.
     */
    async flushLogs(append: AppendLines, only?: Attempt): Promise<ReadonlySet<OrgId>> {
      const orgIds = new Set<OrgId>();
      const waiting = only ? [only] : [...attempts.values()].filter(({ hasReturned }) => !hasReturned);
      for (let taken = takeLines(waiting); taken.length > 0; taken = takeLines(waiting)) {
        for (const orgId of await writeLines(append, taken)) orgIds.add(orgId);
      }
      return orgIds;
    },
  };
}

interface Taken {
  attempt: Attempt;
  lines: LogLine[];
}

/** Takes lines for one statement, and removes their attempts from `waiting`. */
function takeLines(waiting: Attempt[]): Taken[] {
  const taken: Taken[] = [];
  for (let length = 0; length < MAX_STATEMENT_LENGTH; ) {
    const attempt = waiting.shift();
    if (!attempt) break;
    // A write of its lines is in progress; new lines are written after it.
    if (attempt.flushing !== null) continue;
    const lines = attempt.log.take(MAX_STATEMENT_LENGTH);
    if (lines.length > 0) taken.push({ attempt, lines });
    length += lengthOf(lines);
  }
  return taken;
}

async function writeLines(append: AppendLines, taken: readonly Taken[]): Promise<OrgId[]> {
  const written = appendTaken(append, taken);
  const settled = written.then(
    () => undefined,
    () => undefined, // The caller awaits `written` and handles the error.
  );
  for (const { attempt } of taken) {
    attempt.flushing = settled.then(() => {
      attempt.flushing = null;
    });
  }
  return written;
}

async function appendTaken(append: AppendLines, taken: readonly Taken[]): Promise<OrgId[]> {
  let locked: ReadonlySet<string>;
  try {
    locked = await append(taken.flatMap(toRunningLines));
  } catch (error) {
    for (const { attempt, lines } of taken) attempt.log.putBackDoubtful(lines);
    throw error;
  }
  for (const { attempt, lines } of taken) {
    if (locked.has(attempt.claim.token)) attempt.log.putBack(lines);
    else attempt.log.confirm(lines);
  }
  return taken.filter(({ attempt }) => !locked.has(attempt.claim.token)).map(({ attempt }) => attempt.claim.orgId);
}

function toRunningLines({ attempt: { claim, log }, lines }: Taken): RunningLine[] {
  const isInDoubt = log.isInDoubt();
  const from = log.confirmed() + 1;
  return lines.map((line, i) => ({ ...line, key: claim.key, token: claim.token, nth: isInDoubt ? from + i : null }));
}

export function createStop() {
  let reason: Error | null = null;
  let controller: AbortController | null = null;
  const listeners: (() => void)[] = [];
  return {
    /** The reason of the first call of `fire`. Null: it has not fired. */
    reason: (): Error | null => reason,
    fire(error: Error): void {
      if (reason) return;
      reason = error;
      controller?.abort(reason);
      for (const listener of listeners) listener();
    },
    /** The listener is called when it fires, or at once if it has fired already. */
    onFire(listener: () => void): void {
      if (reason) listener();
      else listeners.push(listener);
    },
    signal(): AbortSignal {
      if (!controller) {
        controller = new AbortController();
        if (reason) controller.abort(reason);
      }
      return controller.signal;
    },
  };
}
