import type { Sample } from './sample.js';

export type Measure = Exclude<keyof Sample, 'minutes' | 'finished'>;

/** A measure of the second half may be this many times that of the first half, and `slack` more. */
const MAX_RATIO = 1.25;

/** What is compared, and how much more than MAX_RATIO is the noise of small numbers. */
const MEASURES: Record<Measure, { title: string; slack: number }> = {
  apiMiB: { title: 'API, MiB', slack: 0 },
  workerMiB: { title: 'worker, MiB', slack: 0 },
  apiFiles: { title: 'API, open files', slack: 10 },
  workerFiles: { title: 'worker, open files', slack: 10 },
  connections: { title: 'connections to Postgres', slack: 5 },
  redisMiB: { title: 'Redis, MiB', slack: 5 },
  liveMiB: { title: 'live jobs in Postgres, MiB', slack: 5 },
  kibPerJob: { title: 'database, KiB per finished job', slack: 0 },
};

/** The measures that grew: the largest value of the second half is too much above that of the first half. */
export function growing(samples: readonly Sample[]): string[] {
  const half = Math.floor(samples.length / 2);
  return Object.entries(MEASURES).flatMap(([name, { title, slack }]) => {
    // The cast: Object.entries forgets the type of the names.
    const values = samples.map((sample) => sample[name as Measure]);
    const [before, after] = [Math.max(...values.slice(0, half)), Math.max(...values.slice(half))];
    return after <= MAX_RATIO * before + slack ? [] : [`${title}: ${before.toFixed(1)}, then ${after.toFixed(1)}`];
  });
}

/** A Markdown table with at most `rows` of the samples. */
export function table(samples: readonly Sample[], rows: number): string {
  const every = Math.max(1, Math.ceil(samples.length / rows));
  const shown = samples.filter((_, n) => (n + 1) % every === 0 || n === samples.length - 1);
  const titles = ['minutes', 'finished jobs', ...Object.values(MEASURES).map(({ title }) => title)];
  return [titles, titles.map(() => '---:'), ...shown.map(cellsOf)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function cellsOf(sample: Sample): string[] {
  const { minutes, finished, redisMiB, liveMiB, kibPerJob } = sample;
  const whole = [sample.apiMiB, sample.workerMiB, sample.apiFiles, sample.workerFiles, sample.connections];
  return [
    minutes.toFixed(0),
    finished.toLocaleString('en'),
    ...whole.map((value) => value.toFixed(0)),
    redisMiB.toFixed(1),
    liveMiB.toFixed(1),
    kibPerJob.toFixed(2),
  ];
}
