import { median } from './statistics.js';
import type { System, SystemName } from './system.js';
import type { Figures, Turn } from './turn.js';

/** All turns of a run, by system, in the order of the rounds. */
export type Results = ReadonlyMap<System, readonly Turn[]>;

/** A figure over the rounds. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** Null where the system was not measured, or has no such figure. */
export function spreadOf(results: Results, name: SystemName, figure: keyof Figures): Spread | null {
  return spread(turnsOf(results, name).flatMap(({ figures }) => figures[figure] ?? []));
}

/** The product's figure divided by the peer's, round by round: what both suffered in one round cancels out. */
export function ratioOf(results: Results, peer: SystemName, figure: keyof Figures): Spread | null {
  const ours = turnsOf(results, 'jobline');
  const ratios = turnsOf(results, peer).flatMap(({ figures }, round) => {
    const [own, other] = [ours[round]?.figures[figure], figures[figure]];
    return own !== undefined && other !== undefined ? [own / other] : [];
  });
  return spread(ratios);
}

/** Every process of a system with the median over the rounds of its memory now and at its highest, in bytes. */
export function memoryOf(turns: readonly Turn[]): { name: string; now: number; peak: number }[] {
  const names = new Set(turns.flatMap(({ memory }) => memory.map(({ name }) => name)));
  return [...names].map((name) => {
    const seen = turns.flatMap((turn) => turn.memory.filter((one) => one.name === name).map(({ memory }) => memory));
    return { name, now: median(seen.map(({ now }) => now)), peak: median(seen.map(({ peak }) => peak)) };
  });
}

function turnsOf(results: Results, name: SystemName): readonly Turn[] {
  return [...results].find(([system]) => system.name === name)?.[1] ?? [];
}

function spread(values: readonly number[]): Spread | null {
  return values.length === 0 ? null : { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}
