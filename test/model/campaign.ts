import type { ModelDatabase, Planted } from './database.js';
import type { Violation } from './invariants.js';
import { tryProgram } from './model.js';
import { type Program, programOf } from './program.js';
import { describeProgram, shrink } from './shrink.js';

export interface Campaign {
  /** The seed of the first world. Each further world has the next one. */
  seed: number;
  /** Total number of interleavings. */
  sequences: number;
  /** Number of interleavings that run concurrently. */
  perWorld: number;
  planted?: Planted | null;
  /** Whether a failing program is shrunk. */
  shrinks?: boolean;
  /** Called after every world. */
  onWorld?(done: number): void;
}

export interface Report {
  /** How many interleavings have run. */
  done: number;
  /** How often each event happened. */
  counts: Map<string, number>;
  /** The failure, with everything that is needed to reproduce it. Null if there is none. */
  failure: { seed: number; violations: Violation[]; text: string } | null;
}

/** Runs interleavings, world by world, until one fails or all have run. */
export async function runCampaign(database: ModelDatabase, campaign: Campaign): Promise<Report> {
  const { sequences, perWorld, planted = null } = campaign;
  const counts = new Map<string, number>();
  let done = 0;
  for (let seed = campaign.seed; done < sequences; seed++) {
    const program = programOf(seed, perWorld);
    const outcome = await tryProgram(database, program, planted);
    done += perWorld;
    for (const [what, count] of outcome.counts) counts.set(what, (counts.get(what) ?? 0) + count);
    if (outcome.violations.length > 0) {
      const { violations } = outcome;
      const text = await explain(database, campaign, program, { seed, done, violations });
      return { done, counts, failure: { seed, violations, text } };
    }
    campaign.onWorld?.(done);
  }
  return { done, counts, failure: null };
}

const MAX_SHOWN = 10;

async function explain(
  database: ModelDatabase,
  { perWorld, planted = null, shrinks = true }: Campaign,
  program: Program,
  { seed, done, violations }: { seed: number; done: number; violations: Violation[] },
): Promise<string> {
  const shown = (some: readonly Violation[]) =>
    some.slice(0, MAX_SHOWN).map(({ sequence, what }) => `  #${sequence}: ${what}`);
  const head = [
    `interleaving ${done} or one of the ${perWorld} before it violates ${violations.length} rules:`,
    ...shown(violations),
    `reproduce with: MODEL_SEED=${seed} MODEL_PER_WORLD=${perWorld} npm test -- test/model/model.test.ts`,
  ];
  if (!shrinks) return head.join('\n');
  // A busy machine may not have the time to shrink it.
  console.log(head.join('\n'));
  const first = violations.find(({ sequence }) => sequence !== null) ?? violations[0];
  const kind = kindOf(first);
  let last: Violation[] = [];
  const smallest = await shrink(program, first?.sequence ?? null, async (candidate) => {
    const found = (await tryProgram(database, candidate, planted)).violations.filter((one) => kindOf(one) === kind);
    if (found.length > 0) last = found;
    return found.length > 0;
  });
  return [...head, 'the smallest failing program that was found:', describeProgram(smallest), ...shown(last)].join(
    '\n',
  );
}

/** Returns the violated rule without the ids in it. */
function kindOf(violation: Violation | undefined): string {
  return (violation?.what ?? '').replace(/[0-9a-f-]{36}|\d+/g, '#');
}
