import { parseArgs } from 'node:util';
import { SYSTEMS, type SystemName } from './system.js';

/** The measurements, in their order. */
export const PHASES = ['accept', 'batch', 'drain', 'e2e', 'pickup', 'redis', 'large', 'tenants'] as const;
export type Phase = (typeof PHASES)[number];

export interface Options {
  systems: readonly SystemName[];
  phases: readonly Phase[];
  rounds: number;
  sizes: Sizes;
  /** If it is not empty, only Jobline is measured, with these numbers of APIs and workers. */
  processes: readonly number[];
  /** Whether this run is complete and long enough to keep its results. */
  writesResults: boolean;
}

export interface Sizes {
  warmUp: number;
  /** Jobs submitted one by one, for `accept` and `e2e`. */
  jobs: number;
  /** Jobs submitted in batches. A backlog has as many jobs as both together. */
  batched: number;
  pickup: number;
  redis: number;
  /** The jobs of a large backlog. */
  large: number;
}

const FULL: Sizes = { warmUp: 3_000, jobs: 10_000, batched: 20_000, pickup: 2_000, redis: 100_000, large: 1_000_000 };
const QUICK: Sizes = { warmUp: 1_000, jobs: 5_000, batched: 10_000, pickup: 600, redis: 20_000, large: 50_000 };
const ROUNDS = 3;

/** `--quick --only=accept,drain --systems=jobline,bullmq --rounds=5`, or `--processes=1,2,4`. Throws if an argument is unknown. */
export function readOptions(argv: string[]): Options {
  const { values } = parseArgs({
    args: argv,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      systems: { type: 'string' },
      rounds: { type: 'string' },
      processes: { type: 'string' },
    },
  });
  const systems = pick(SYSTEMS, values.systems, 'system');
  const phases = pick(PHASES, values.only, 'phase');
  const rounds = Number(values.rounds ?? (values.quick ? 1 : ROUNDS));
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds=${values.rounds} is not a number of rounds`);
  const isComplete = systems.length === SYSTEMS.length && phases.length === PHASES.length;
  return {
    systems,
    phases,
    rounds,
    sizes: values.quick ? QUICK : FULL,
    processes: numbersIn(values.processes ?? ''),
    writesResults: isComplete && !values.quick && rounds >= ROUNDS,
  };
}

function numbersIn(text: string): number[] {
  const numbers = text === '' ? [] : text.split(',').map(Number);
  if (numbers.every((n) => Number.isInteger(n) && n > 0)) return numbers;
  throw new Error(`"${text}" is not a list of numbers`);
}

function pick<T extends string>(all: readonly T[], given: string | undefined, what: string): readonly T[] {
  if (given === undefined) return all;
  const names = given.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !all.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`unknown ${what} "${unknown}"; use ${all.join(', ')}`);
  return all.filter((name) => names.includes(name));
}
