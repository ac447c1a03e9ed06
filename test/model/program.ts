import fc from 'fast-check';

/** How a handler ends. */
export const ENDINGS = ['done', 'retry', 'permanent', 'postpone'] as const;
export type Ending = (typeof ENDINGS)[number];

/** What becomes of the next entries of a sequence's jobs on their way to the queue. */
export const FATES = ['lost', 'late', 'refused', 'unsure'] as const;
export type Fate = (typeof FATES)[number];

/** What a sequence does to its own jobs. `job` and `worker` count modulo how many there are. */
export type Action =
  | { kind: 'rest' }
  /** `twin`: the same content under the same id or key as before. */
  | {
      kind: 'submit';
      how: 'single' | 'together' | 'once';
      hasId: boolean;
      isTwin: boolean;
      isLater: boolean;
      type: string;
    }
  /** `again`: a delivery of an entry that was delivered before. */
  | { kind: 'deliver'; job: number; worker: number; isAgain: boolean }
  | { kind: 'finish'; job: number; ending: Ending; isOldest: boolean }
  | { kind: 'cancel'; job: number }
  | { kind: 'retry'; job: number }
  /** Lets the job be due now. */
  | { kind: 'due'; job: number }
  | { kind: 'fate'; fate: Fate }
  | { kind: 'lose-entry'; job: number }
  /** So many workers have died with the job before. */
  | { kind: 'crash-count'; job: number; crashes: number };

/** What happens to all. */
export type Upkeep =
  | { kind: 'time'; ms: number }
  | { kind: 'sweep'; worker: number }
  | { kind: 'dispatch'; worker: number }
  | { kind: 'check-runs' }
  | { kind: 'flush-logs' }
  | { kind: 'retain'; worker: number }
  /** The worker's heartbeat stops; what it runs goes on. */
  | { kind: 'freeze'; worker: number }
  | { kind: 'thaw' }
  /** The worker stops as it is asked to, and a new one takes its place. */
  | { kind: 'stop'; worker: number }
  /** The worker is gone, and a new one takes its place. */
  | { kind: 'kill'; worker: number }
  | { kind: 'wipe' }
  | { kind: 'redis'; isAway: boolean }
  /** The answers to so many statements are lost, after they have taken effect. */
  | { kind: 'lose-answers'; count: number };

/** A step and whether it waits for what its sequence has begun before, and the next round for it. */
export interface Step {
  action: Action;
  isAlone: boolean;
  isAwaited: boolean;
}

/** The steps of one sequence, one each round. It has an organization of its own. */
export interface Sequence {
  steps: Step[];
  /** Its handlers ignore their signal. */
  isDeaf: boolean;
}

export interface Program {
  sequences: Sequence[];
  /** For each round. */
  upkeep: Upkeep[][];
  /** Entries per queue. */
  window: number;
}

export const ROUNDS = 16;
export const TYPES = ['model', 'brief'] as const;

const job = fc.nat({ max: 2 });
const worker = fc.nat({ max: 4 });
/** True n times of four. */
const ofFour = (n: number) => fc.nat({ max: 3 }).map((value) => value < n);

const submit = fc.record({
  kind: fc.constant('submit' as const),
  how: fc.constantFrom('single' as const, 'single' as const, 'together' as const, 'once' as const),
  hasId: fc.boolean(),
  isTwin: fc.boolean(),
  isLater: ofFour(1),
  type: fc.constantFrom('model', 'model', 'model', 'brief'),
});

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ kind: 'rest' as const }) },
  { weight: 2, arbitrary: submit },
  {
    weight: 10,
    arbitrary: fc.record({ kind: fc.constant('deliver' as const), job, worker, isAgain: ofFour(1) }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constant('finish' as const),
      job,
      ending: fc.constantFrom(...ENDINGS, 'done' as const),
      isOldest: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), job }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('retry' as const), job }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('due' as const), job }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fate' as const), fate: fc.constantFrom(...FATES) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose-entry' as const), job }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('crash-count' as const), job, crashes: fc.constantFrom(1, 2, 4) }),
  },
);

const step: fc.Arbitrary<Step> = fc.record({ action, isAlone: fc.boolean(), isAwaited: ofFour(3) });

/** The first step is a submission: without one, nothing happens. */
const sequence: fc.Arbitrary<Sequence> = fc.record({
  steps: fc
    .tuple(
      fc.record({ action: submit, isAlone: fc.boolean(), isAwaited: fc.boolean() }),
      fc.array(step, { minLength: ROUNDS - 1, maxLength: ROUNDS - 1, size: 'max' }),
    )
    .map(([first, rest]) => [first, ...rest]),
  isDeaf: ofFour(1),
});

const upkeep: fc.Arbitrary<Upkeep> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.constantFrom(100, 1_000, 1_900) }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('sweep' as const), worker }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('dispatch' as const), worker }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'check-runs' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'flush-logs' as const }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('freeze' as const), worker }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'thaw' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stop' as const), worker }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('kill' as const), worker }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'wipe' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('redis' as const), isAway: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('lose-answers' as const), count: fc.integer({ min: 1, max: 3 }) }),
  },
);

/** Everything finished is deleted, once, in every fourth program: the others keep what there is to check. */
const retention = fc.record({ isUsed: ofFour(1), round: fc.nat({ max: ROUNDS - 1 }), worker });

/** Programs of so many sequences that run side by side. */
export function programs(sequences: number): fc.Arbitrary<Program> {
  const rounds = fc.array(fc.array(upkeep, { minLength: 0, maxLength: 6, size: 'max' }), {
    minLength: ROUNDS,
    maxLength: ROUNDS,
    size: 'max',
  });
  return fc.record({
    sequences: fc.array(sequence, { minLength: sequences, maxLength: sequences, size: 'max' }),
    upkeep: fc
      .tuple(rounds, retention)
      .map(([steps, { isUsed, round, worker: by }]) =>
        steps.map((own, n) => (isUsed && n === round ? [...own, { kind: 'retain' as const, worker: by }] : own)),
      ),
    window: fc.constantFrom(4 + Math.ceil(sequences / 8), 4 + Math.ceil(sequences / 3), 10_000),
  });
}

/** The program of a seed: always the same. */
export function programOf(seed: number, sequences: number): Program {
  const [program] = fc.sample(programs(sequences), { seed, numRuns: 1 });
  if (!program) throw new Error('fast-check gave no program');
  return program;
}
