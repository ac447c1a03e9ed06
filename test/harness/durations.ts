import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Seconds of each test file that takes one or more, by its path from the root. */
export type Durations = Record<string, number>;

const FILE = fileURLToPath(new URL('durations.json', import.meta.url));
/** For files without an entry: they are short, or new. */
const DEFAULT_S = 0.25;
/** Durations are rounded to these and their multiples by ten, so that the file changes only if a duration does. */
const STEPS = [1, 1.5, 2, 3, 4, 5, 7, 10];

export function readDurations(): Durations {
  // The cast: the function below writes it.
  return JSON.parse(readFileSync(FILE, 'utf8')) as Durations;
}

export function secondsOf(durations: Durations, path: string): number {
  return durations[path] ?? DEFAULT_S;
}

/** Stores what a run has measured. The durations of files that did not run stay. */
export function writeDurations(measured: ReadonlyMap<string, number>): void {
  const all = new Map(Object.entries(readDurations()));
  for (const [path, seconds] of measured) all.set(path, roundSeconds(seconds));
  const listed = [...all].filter(([, seconds]) => seconds >= 1).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(listed), null, 2)}\n`);
}

function roundSeconds(seconds: number): number {
  if (seconds < 0.75) return 0;
  const power = 10 ** Math.max(0, Math.floor(Math.log10(seconds)));
  const rounded = STEPS.map((step) => Math.round(step * power));
  return rounded.reduce((best, step) => (Math.abs(step - seconds) < Math.abs(best - seconds) ? step : best));
}
