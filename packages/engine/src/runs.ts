import type { Db } from '@jobline/db';
import { appendLines, type Claim } from '@jobline/db/job-transitions';
import { type AttemptLog, createAttemptLog } from './attempt-log.js';

/** An attempt that this worker runs. */
export interface Attempt {
  readonly claim: Claim;
  readonly log: AttemptLog;
  /** Aborted when the time limit is over or the run is interrupted. */
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
  /** Fires every run's signal. */
  interruptAll(reason: string): void;
  /** Writes all lines that wait, of all attempts, in one statement. What cannot be written waits for the next time. */
  flushLogs(db: Db): Promise<void>;
}

export function createRuns(): Runs {
  const expected = new Set<string>();
  const attempts = new Map<string, Attempt>();

  return {
    expect: (token) => void expected.add(token),
    forget: (token) => void expected.delete(token),
    open(claim) {
      const attempt: Attempt = {
        claim,
        log: createAttemptLog(claim.startedAt),
        controller: new AbortController(),
        flushing: null,
      };
      attempts.set(claim.token, attempt);
      expected.delete(claim.token);
      return attempt;
    },
    close: (attempt) => void attempts.delete(attempt.claim.token),
    has: (token) => expected.has(token) || attempts.has(token),
    size: () => expected.size + attempts.size,
    interruptAll(reason) {
      for (const { controller } of attempts.values()) controller.abort(new Interruption(reason));
    },
    async flushLogs(db) {
      const taken = [...attempts.values()]
        .filter((attempt) => attempt.flushing === null)
        .map((attempt) => ({ attempt, lines: attempt.log.take() }))
        .filter(({ lines }) => lines.length > 0);
      if (taken.length === 0) return;
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
    },
  };
}
