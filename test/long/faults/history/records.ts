/**
 * What callers and receivers saw of each submission: the responses to the callers, and the calls that arrived at the
 * receivers. A submission has a number, and some 45 bytes of memory.
 */
export interface Records {
  /** How many numbers there are. */
  capacity: number;
  accepted(n: number, id: string): void;
  /** The response was an error: the job does not exist, or the caller cannot know. */
  rejected(n: number): void;
  /** Counts a call of a receiver. `attempt` is null if the call does not contain it. Returns the number of the call. */
  called(n: number, attempt: number | null): number;
  /** The receiver gave the answer after which no call must follow. */
  answered(n: number): void;
  /** An event that reports the end of the job arrived. */
  reported(n: number): void;
  counts(): Counts;
  /** Null unless the submission was accepted. */
  get(n: number): Recorded | null;
}

export interface Counts {
  accepted: number;
  rejected: number;
  answered: number;
  reported: number;
}

export interface Recorded {
  id: string;
  acceptedAt: number;
  calls: number;
  /** The numbers of the attempts that called. */
  attempts: number[];
  /** An attempt that called twice. */
  hasRepeatedAttempt: boolean;
  /** Null if no receiver gave the last answer. */
  answeredAt: number | null;
  isReported: boolean;
}

const ACCEPTED = 1;
const REJECTED = 2;
const REPEATED_ATTEMPT = 1;
const REPORTED = 2;
const ID_BYTES = 16;
const MAX_CALLS = 255;
const MAX_ATTEMPT = 30;

export function createRecords(capacity: number): Records {
  const ids = Buffer.alloc(ID_BYTES * capacity);
  const responses = new Uint8Array(capacity);
  const acceptedAt = new Float64Array(capacity);
  const answeredAt = new Float64Array(capacity);
  const calls = new Uint8Array(capacity);
  const attempts = new Uint32Array(capacity);
  const flags = new Uint8Array(capacity);
  const counts: Counts = { accepted: 0, rejected: 0, answered: 0, reported: 0 };
  const at = (values: Uint8Array | Uint32Array | Float64Array, n: number) => values[n] ?? 0;

  return {
    capacity,
    accepted(n, id) {
      if (at(responses, n) === ACCEPTED) throw new Error(`submission ${n} was accepted twice`);
      ids.write(id.replaceAll('-', ''), ID_BYTES * n, 'hex');
      responses[n] = ACCEPTED;
      acceptedAt[n] = Date.now();
      counts.accepted++;
    },
    rejected(n) {
      responses[n] = REJECTED;
      counts.rejected++;
    },
    called(n, attempt) {
      if (attempt !== null) {
        const bit = 1 << Math.min(attempt, MAX_ATTEMPT);
        if ((at(attempts, n) & bit) !== 0) flags[n] = at(flags, n) | REPEATED_ATTEMPT;
        attempts[n] = at(attempts, n) | bit;
      }
      calls[n] = Math.min(MAX_CALLS, at(calls, n) + 1);
      return at(calls, n);
    },
    answered(n) {
      if (at(answeredAt, n) !== 0) return;
      answeredAt[n] = Date.now();
      counts.answered++;
    },
    reported(n) {
      if ((at(flags, n) & REPORTED) !== 0) return;
      counts.reported++;
      flags[n] = at(flags, n) | REPORTED;
    },
    counts: () => ({ ...counts }),
    get(n) {
      if (at(responses, n) !== ACCEPTED) return null;
      const mask = at(attempts, n);
      return {
        id: withDashes(ids.toString('hex', ID_BYTES * n, ID_BYTES * (n + 1))),
        acceptedAt: at(acceptedAt, n),
        calls: at(calls, n),
        attempts: Array.from({ length: MAX_ATTEMPT + 1 }, (_, i) => i).filter((i) => (mask & (1 << i)) !== 0),
        hasRepeatedAttempt: (at(flags, n) & REPEATED_ATTEMPT) !== 0,
        answeredAt: at(answeredAt, n) || null,
        isReported: (at(flags, n) & REPORTED) !== 0,
      };
    },
  };
}

function withDashes(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
