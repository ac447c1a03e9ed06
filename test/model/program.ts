import fc from 'fast-check';

/** How a handler ends. */
export const ENDINGS = ['done', 'retry', 'permanent', 'postpone'] as const;
export type Ending = (typeof ENDINGS)[number];

/** What a caller changes. `later` and `now`: the time. */
export const CHANGED = ['payload', 'later', 'now', 'priority'] as const;
export type Changed = (typeof CHANGED)[number];

/** What happens to the next entries of the jobs of a sequence on their way to the queue. */
export const FATES = ['lost', 'late', 'refused', 'unsure'] as const;
export type Fate = (typeof FATES)[number];

/** The actions of a sequence on its own jobs. `job` and `worker` are taken modulo the number of jobs and workers. */
export type Action =
  | { kind: 'rest' }
  /** `isDuplicate`: the same content with the same id or key as before. */
  | {
      kind: 'submit';
      how: 'single' | 'batch' | 'with-key';
      hasId: boolean;
      isDuplicate: boolean;
      isLater: boolean;
      /** Null: it waits for no job. In a batch, the second job waits for the first one, too. */
      waits: { jobs: number[]; when: 'done' | 'ended' } | null;
      type: string;
    }
  /** `isAgain`: a repeated delivery of an entry. */
  | { kind: 'deliver'; job: number; worker: number; isAgain: boolean }
  | { kind: 'finish'; job: number; ending: Ending; isOldest: boolean }
  | { kind: 'cancel'; job: number }
  | { kind: 'retry'; job: number }
  | { kind: 'change'; job: number; what: Changed }
  /** Deletes values of the payload of a finished job. */
  | { kind: 'redact'; job: number }
  /** Makes the job due now. */
  | { kind: 'due'; job: number }
  | { kind: 'fate'; fate: Fate }
  | { kind: 'lose-entry'; job: number }
  /** Sets the number of workers that have died with the job. */
  | { kind: 'crash-count'; job: number; crashes: number };

/** Events that affect all sequences. */
export type Upkeep =
  | { kind: 'time'; ms: number }
  | { kind: 'sweep'; worker: number }
  | { kind: 'dispatch'; worker: number }
  | { kind: 'settle'; worker: number }
  | { kind: 'fail-waiting'; worker: number }
  | { kind: 'check-runs' }
  | { kind: 'flush-logs' }
  | { kind: 'retain'; worker: number }
  /** The heartbeat of the worker stops; its runs continue. */
  | { kind: 'freeze'; worker: number }
  | { kind: 'thaw' }
  /** The worker shuts down, and a new one replaces it. */
  | { kind: 'stop'; worker: number }
  /** The worker is killed, and a new one replaces it. */
  | { kind: 'kill'; worker: number }
  | { kind: 'wipe' }
  | { kind: 'redis'; isDown: boolean }
  /** The answers to this many statements are lost after the statements have taken effect. */
  | { kind: 'lose-answers'; count: number };

/** A step. `isAlone`: it waits for the earlier steps of its sequence. `isAwaited`: the next round waits for it. */
export interface Step {
  action: Action;
  isAlone: boolean;
  isAwaited: boolean;
}

/** The steps of one sequence, one per round. Each sequence has its own organization. */
export interface Sequence {
  steps: Step[];
  /** Whether its handlers ignore their signal. */
  isDeaf: boolean;
}

export interface Program {
  sequences: Sequence[];
  /** The events of each round. */
  upkeep: Upkeep[][];
  /** Maximum number of entries per queue. */
  window: number;
}

export const ROUNDS = 16;
export const TYPES = ['model', 'brief'] as const;

const job = fc.nat({ max: 2 });
const worker = fc.nat({ max: 4 });
/** True with a probability of n in four. */
const ofFour = (n: number) => fc.nat({ max: 3 }).map((value) => value < n);

const submit = fc.record({
  kind: fc.constant('submit' as const),
  how: fc.constantFrom('single' as const, 'single' as const, 'batch' as const, 'with-key' as const),
  hasId: fc.boolean(),
  isDuplicate: fc.boolean(),
  isLater: ofFour(1),
  waits: fc.oneof(
    fc.constant(null),
    fc.record({
      jobs: fc.array(job, { minLength: 1, maxLength: 2 }),
      when: fc.constantFrom('done' as const, 'done' as const, 'ended' as const),
    }),
  ),
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
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      job,
      what: fc.constantFrom(...CHANGED, 'payload' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('redact' as const), job }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('due' as const), job }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fate' as const), fate: fc.constantFrom(...FATES) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose-entry' as const), job }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('crash-count' as const), job, crashes: fc.constantFrom(1, 2, 4) }),
  },
);

const step: fc.Arbitrary<Step> = fc.record({ action, isAlone: fc.boolean(), isAwaited: ofFour(3) });

/** The first step is a submission, because otherwise nothing happens. */
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
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('settle' as const), worker }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('fail-waiting' as const), worker }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'check-runs' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'flush-logs' as const }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('freeze' as const), worker }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'thaw' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stop' as const), worker }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('kill' as const), worker }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'wipe' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('redis' as const), isDown: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('lose-answers' as const), count: fc.integer({ min: 1, max: 3 }) }),
  },
);

/** All finished jobs are deleted once, in every fourth program. The other programs keep them to be checked. */
const retention = fc.record({ isUsed: ofFour(1), round: fc.nat({ max: ROUNDS - 1 }), worker });

/** Generates programs with this many concurrent sequences. */
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

/** Returns the program of a seed, which is always the same. */
export function programOf(seed: number, sequences: number): Program {
  const [program] = fc.sample(programs(sequences), { seed, numRuns: 1 });
  if (!program) throw new Error('fast-check gave no program');
  return program;
}
