import type { OrgId } from '@jobline/contracts';
import type { Claim, LogLine, RunningLine } from '@jobline/db/job-transitions';
import { NOTES, REASONS } from '../job-log.js';
import { type AttemptLog, createAttemptLog } from './attempt-log.js';

/** An attempt that this worker runs. */
export interface Attempt {
  readonly claim: Claim;
  readonly log: AttemptLog;
  /** Aborted when the time limit is over, the run is interrupted or its job is canceled. */
  readonly controller: AbortController;
  /** Lines on their way to Postgres; the attempt's end is written after them. */
  flushing: Promise<void> | null;
}

/** Why a run was interrupted: the reason of its signal. */
export class Interruption extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Interruption';
  }
}

/** Somebody asked to cancel the job: the reason of its signal. */
export class Cancellation extends Error {
  constructor() {
    super(REASONS.canceled);
    this.name = 'Cancellation';
  }
}

/** What this worker has in its hands: claims on their way, and attempts until their end is on record. */
export interface Runs {
  /** A claim under this token is on its way. */
  expect(token: string): void;
  /** The claim came to nothing. */
  forget(token: string): void;
  open(claim: Claim): Attempt;
  close(attempt: Attempt): void;
  has(token: string): boolean;
  size(): number;
  /** Fires the signal of the run under this token, if there is one; of one whose claim is on its way, as it opens. */
  cancel(token: string): void;
  /** Fires every run's signal. */
  interruptAll(reason: string): void;
  /**
   * Writes the lines that wait, of all attempts or of the one given, in statements of bounded length. What cannot be
   * written waits for the next time, and is then not written twice. Answers with the organizations that have new lines.
   */
  flushLogs(append: AppendLines, only?: Attempt): Promise<ReadonlySet<OrgId>>;
}

/** Writes lines. Answers with the tokens of the jobs whose rows another transaction holds: it wrote none of theirs. */
export type AppendLines = (lines: readonly RunningLine[]) => Promise<ReadonlySet<string>>;

/** Characters of log lines in one statement, beyond which the next attempt's lines go into another. */
const MAX_STATEMENT_LENGTH = 1024 * 1024;

export function createRuns(): Runs {
  const expected = new Set<string>();
  const attempts = new Map<string, Attempt>();
  /** Of those expected. */
  const canceled = new Set<string>();

  function forget(token: string): void {
    expected.delete(token);
    canceled.delete(token);
  }

  function fireCancel({ controller, log }: Attempt): void {
    if (controller.signal.aborted) return;
    log.write('warn', NOTES.cancelRequested, 'canceled');
    controller.abort(new Cancellation());
  }

  return {
    expect: (token) => void expected.add(token),
    forget,
    open(claim) {
      const attempt: Attempt = {
        claim,
        log: createAttemptLog(claim.startedAt),
        controller: new AbortController(),
        flushing: null,
      };
      attempts.set(claim.token, attempt);
      if (canceled.has(claim.token)) fireCancel(attempt);
      forget(claim.token);
      return attempt;
    },
    close: (attempt) => void attempts.delete(attempt.claim.token),
    has: (token) => expected.has(token) || attempts.has(token),
    size: () => expected.size + attempts.size,
    cancel(token) {
      const attempt = attempts.get(token);
      if (attempt) fireCancel(attempt);
      else if (expected.has(token)) canceled.add(token);
    },
    interruptAll(reason) {
      for (const { controller } of attempts.values()) controller.abort(new Interruption(reason));
    },
    async flushLogs(append, only) {
      const orgIds = new Set<OrgId>();
      const waiting = only ? [only] : [...attempts.values()];
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

/** The next lines for one statement, of attempts that it removes from `waiting`. */
function takeLines(waiting: Attempt[]): Taken[] {
  const taken: Taken[] = [];
  for (let length = 0; length < MAX_STATEMENT_LENGTH; ) {
    const attempt = waiting.shift();
    if (!attempt) break;
    // Its lines are on their way already; it has its next turn when they are there.
    if (attempt.flushing !== null) continue;
    const lines = attempt.log.take();
    if (lines.length > 0) taken.push({ attempt, lines });
    length += lines.reduce((sum, { message }) => sum + (message?.length ?? 0), 0);
  }
  return taken;
}

async function writeLines(append: AppendLines, taken: readonly Taken[]): Promise<OrgId[]> {
  const written = appendTaken(append, taken);
  const settled = written.then(
    () => undefined,
    () => undefined, // told by the caller, who awaits `written`
  );
  for (const { attempt } of taken) {
    attempt.flushing = settled.then(() => {
      attempt.flushing = null;
    });
  }
  return written;
}

async function appendTaken(append: AppendLines, taken: readonly Taken[]): Promise<OrgId[]> {
  let held: ReadonlySet<string>;
  try {
    held = await append(taken.flatMap(toRunningLines));
  } catch (error) {
    for (const { attempt, lines } of taken) attempt.log.doubt(lines);
    throw error;
  }
  for (const { attempt, lines } of taken) {
    if (held.has(attempt.claim.token)) attempt.log.giveBack(lines);
    else attempt.log.confirm(lines.length);
  }
  return taken.filter(({ attempt }) => !held.has(attempt.claim.token)).map(({ attempt }) => attempt.claim.orgId);
}

function toRunningLines({ attempt: { claim, log }, lines }: Taken): RunningLine[] {
  const isInDoubt = log.isInDoubt();
  const from = log.confirmed() + 1;
  return lines.map((line, i) => ({ ...line, key: claim.key, token: claim.token, nth: isInDoubt ? from + i : null }));
}
