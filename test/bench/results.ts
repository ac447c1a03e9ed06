import type { Measurement, Metrics } from './measure-system.js';
import { median } from './statistics.js';
import type { System, SystemName } from './system.js';

/** The measurements of a run by system, in the order of the rounds. */
export type Results = ReadonlyMap<System, readonly Measurement[]>;

/** The values of a metric over the rounds. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** Null if the system was not measured or does not have the metric. */
export function spreadOf(results: Results, name: SystemName, metric: keyof Metrics): Spread | null {
  return spread(measurementsOf(results, name).flatMap(({ metrics }) => metrics[metric] ?? []));
}

/** The product's metric divided by the peer's, per round, so that disturbances of a round cancel out. */
export function ratioOf(results: Results, peer: SystemName, metric: keyof Metrics): Spread | null {
  const ours = measurementsOf(results, 'jobline');
  const ratios = measurementsOf(results, peer).flatMap(({ metrics }, round) => {
    const [own, other] = [ours[round]?.metrics[metric], metrics[metric]];
    return own !== undefined && other !== undefined ? [own / other] : [];
  });
  return spread(ratios);
}

/** The median over the rounds of each process's current and highest memory, in bytes. */
export function memoryOf(measurements: readonly Measurement[]): { name: string; now: number; peak: number }[] {
  const names = new Set(measurements.flatMap(({ memory }) => memory.map(({ name }) => name)));
  return [...names].map((name) => {
    const seen = measurements.flatMap((turn) =>
      turn.memory.filter((one) => one.name === name).map(({ memory }) => memory),
    );
    return { name, now: median(seen.map(({ now }) => now)), peak: median(seen.map(({ peak }) => peak)) };
  });
}

function measurementsOf(results: Results, name: SystemName): readonly Measurement[] {
  return [...results].find(([system]) => system.name === name)?.[1] ?? [];
}

function spread(values: readonly number[]): Spread | null {
  return values.length === 0 ? null : { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}
