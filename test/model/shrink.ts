import type { Program, Sequence } from './program.js';

/** Returns whether a program still fails. */
type Fails = (program: Program) => Promise<boolean>;

/** Maximum number of programs that are tried. */
const MAX_TRIES = 120;
/** Concurrent calls do not always reach Postgres in the same order. */
const TRIES_ALONE = 3;

/**
 * Shrinks a failing program: to the failing sequence alone, or to fewer and fewer sequences; then it removes steps and
 * events that are not needed. The result has failed in its last try.
 */
export async function shrink(program: Program, failing: number | null, fails: Fails): Promise<Program> {
  let tries = 0;
  let smallest = program;
  const attempt = async (candidate: Program): Promise<boolean> => {
    if (tries++ >= MAX_TRIES || !(await fails(candidate))) return false;
    smallest = candidate;
    return true;
  };
  const sequence = failing === null ? undefined : program.sequences[failing];
  for (let n = 0; sequence && smallest === program && n < TRIES_ALONE; n++) {
    await attempt({ ...program, sequences: [sequence] });
  }
  for (let part = Math.floor(smallest.sequences.length / 2); part >= 1; part = Math.floor(part / 2)) {
    for (let from = 0; from < smallest.sequences.length && smallest.sequences.length > 1; from += part) {
      const fewer = smallest.sequences.filter((one, n) => n < from || n >= from + part || one === sequence);
      if (fewer.length < smallest.sequences.length && (await attempt({ ...smallest, sequences: fewer }))) from -= part;
    }
  }
  for (let round = 0; round < smallest.upkeep.length; round++) {
    const withRound = (steps: Program['upkeep'][number]) =>
      smallest.upkeep.map((own, n) => (n === round ? steps : own));
    if (!(await attempt({ ...smallest, upkeep: withRound([]) }))) {
      for (let step = (smallest.upkeep[round]?.length ?? 0) - 1; step >= 0; step--) {
        await attempt({ ...smallest, upkeep: withRound((smallest.upkeep[round] ?? []).filter((_, n) => n !== step)) });
      }
    }
    await attempt({ ...smallest, sequences: smallest.sequences.map((one) => resting(one, round)) });
  }
  return smallest;
}

/** Returns the sequence without its step of a round. */
function resting(sequence: Sequence, round: number): Sequence {
  const rest = { action: { kind: 'rest' as const }, isAlone: false, isAwaited: false };
  return { ...sequence, steps: sequence.steps.map((step, n) => (n === round ? rest : step)) };
}

const MAX_DESCRIBED = 8;

/** Describes a program in a few lines, without steps that do nothing. */
export function describeProgram({ sequences, upkeep, window }: Program): string {
  if (sequences.length > MAX_DESCRIBED) return `${sequences.length} sequences that fail only together`;
  const rounds = upkeep.map((steps, round) => {
    const actions = sequences.flatMap(({ steps: own }, n) => {
      const step = own[round];
      return step && step.action.kind !== 'rest'
        ? [`#${n} ${JSON.stringify(step.action)}${step.isAlone ? ' alone' : ''}${step.isAwaited ? '' : ' not awaited'}`]
        : [];
    });
    const all = [...steps.map((step) => JSON.stringify(step)), ...actions];
    return all.length > 0 ? `  ${round}: ${all.join('; ')}` : '';
  });
  const deaf = sequences.flatMap(({ isDeaf }, n) => (isDeaf ? [n] : []));
  return [
    `window ${window}, sequences that ignore signals: ${deaf.join(' ') || 'none'}`,
    ...rounds.filter(Boolean),
  ].join('\n');
}
