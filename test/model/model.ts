import type { ModelDatabase, Planted } from './database.js';
import { checkNow, checkQuiet, type Violation } from './invariants.js';
import type { Program } from './program.js';
import { runProgram, runUntilQuiet } from './run-program.js';
import { createModelWorld } from './world.js';

export interface Outcome {
  violations: Violation[];
  /** How often each event happened. */
  counts: ReadonlyMap<string, number>;
  quietRounds: number;
}

/** Runs a program against the engine and returns the violations. */
export async function tryProgram(
  database: ModelDatabase,
  program: Program,
  planted: Planted | null = null,
): Promise<Outcome> {
  const world = await createModelWorld(database, program, planted);
  await runProgram(world);
  const now = await checkNow(world);
  const { rounds, unfinished } = await runUntilQuiet(world);
  const quiet = await checkQuiet(world, unfinished);
  return { violations: [...now, ...quiet], counts: world.history.counts, quietRounds: rounds };
}
