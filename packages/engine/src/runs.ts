import type { OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import { appendLines, type Claim } from '@jobline/db/job-transitions';
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
    super('the job was canceled');
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
   * Writes all lines that wait, of all attempts, in one statement. What cannot be written waits for the next time.
   * Answers with the organizations that have new lines.
   */
  flushLogs(db: Db): Promise<ReadonlySet<OrgId>>;
}

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
    log.write('warn', 'somebody asked to cancel the job');
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
    async flushLogs(db) {
      const taken = [...attempts.values()]
        .filter((attempt) => attempt.flushing === null)
        .map((attempt) => ({ attempt, lines: attempt.log.take() }))
        .filter(({ lines }) => lines.length > 0);
      if (taken.length === 0) return new Set();
      const written = appendLines(
        db,
        taken.flatMap(({ attempt: { claim }, lines }) =>
          lines.map((line) => ({ ...line, key: claim.key, token: claim.token })),
        ),
      ).catch((error) => {
        for (const { attempt, lines } of taken) attempt.log.giveBack(lines);
        throw error;
      });
      const settled = written.then(
        () => undefined,
        () => undefined, // told by the caller, who awaits `written`
      );
      for (const { attempt } of taken) {
        attempt.flushing = settled.then(() => {
          attempt.flushing = null;
        });
      }
      await written;
      return new Set(taken.map(({ attempt }) => attempt.claim.orgId));
    },
  };
}
