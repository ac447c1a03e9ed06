import { BATCH, BATCHES_IN_FLIGHT, type Metrics, PICKUP_PER_S } from './measure-system.js';
import type { Options } from './options.js';
import { makePayload } from './payload.js';
import { CONNECTIONS } from './peers/http.js';
import { memoryOf, type Results, ratioOf, type Spread, spreadOf } from './results.js';
import { MEMORY_LIMIT_MIB, TARGETS } from './targets.js';

/** The environment of a run, to make it repeatable. */
export interface Facts {
  date: string;
  machine: string;
  versions: string;
  /** Requests per second of the load generator against a bare node:http server. */
  loadLimit: number;
}

const COLUMNS: readonly [keyof Metrics, string][] = [
  ['accept', 'accepted singly, jobs/s'],
  ['batch', `accepted in batches of ${BATCH}, jobs/s`],
  ['e2e', 'end to end, jobs/s'],
  ['drain', 'backlog drained, jobs/s'],
  ['pickup50', `pickup at ${PICKUP_PER_S}/s, median, ms`],
  ['pickup99', 'pickup, 99th percentile, ms'],
  ['redis', 'Redis, bytes per waiting job'],
  ['large', 'large backlog drained, jobs/s'],
  ['tenants', 'the same with ten slow tenants, jobs/s'],
];

const MEBIBYTE = 1_048_576;

/** Metrics for which more is better. */
const RATES: readonly (keyof Metrics)[] = ['accept', 'batch', 'e2e', 'drain', 'large'];

/** The tables, as Markdown. */
export function report(results: Results, facts: Facts, options: Options): string {
  return [targets(results), metrics(results), ratios(results), memory(results), how(results, facts, options)].join(
    '\n\n',
  );
}

function targets(results: Results): string {
  const ratios = TARGETS.flatMap(({ name, metric, peer, atLeast, atMost }) => {
    const ratio = ratioOf(results, peer, metric);
    if (atLeast !== undefined)
      return [[name, show(ratio, '×'), `≥ ${atLeast}×`, yesOrNo(ratio && ratio.median >= atLeast)]];
    if (atMost !== undefined)
      return [[name, show(ratio, '×'), `≤ ${atMost}×`, yesOrNo(ratio && ratio.median <= atMost)]];
    return [];
  });
  const sizes = [...results]
    .filter(([{ name }]) => name === 'jobline')
    .flatMap(([, measurements]) => memoryOf(measurements))
    .map(({ name, peak }) => [
      `memory of the ${name}`,
      `**${mebibytes(peak)} MiB**`,
      `≤ ${MEMORY_LIMIT_MIB} MiB`,
      yesOrNo(peak <= MEMORY_LIMIT_MIB * MEBIBYTE),
    ]);
  return section('Targets', ['', 'Jobline', 'target', 'reached'], [...ratios, ...sizes]);
}

function metrics(results: Results): string {
  const systems = [...results.keys()];
  const rows = COLUMNS.map(([metric, title]) => [
    title,
    ...systems.map(({ name }) => show(spreadOf(results, name, metric), '')),
  ]);
  return section('Measurements', ['', ...systems.map(({ name }) => name)], rows);
}

function ratios(results: Results): string {
  const peers = [...results.keys()].filter(({ name }) => name !== 'jobline');
  const rows = COLUMNS.filter(([metric]) => RATES.includes(metric)).map(([metric, title]) => [
    title,
    ...peers.map(({ name }) => show(ratioOf(results, name, metric), '×')),
  ]);
  return section('Jobline divided by its peer', ['', ...peers.map(({ name }) => name)], rows);
}

function memory(results: Results): string {
  const rows = [...results].flatMap(([, measurements]) =>
    memoryOf(measurements).map(({ name, now, peak }) => [name, mebibytes(now), mebibytes(peak)]),
  );
  return section('Memory', ['process', 'resident after the run, MiB', 'highest, MiB'], rows);
}

function how(results: Results, { date, machine, versions, loadLimit }: Facts, { rounds, sizes }: Options): string {
  return `## How it was measured

${date}, ${machine}; ${versions}. All systems, their Postgres, their Redis and the load share this one machine, one system at a time: the
processes of every system compete for its cores alike, and a system with more processes has less CPU time for each.

Medians of ${rounds} rounds (lowest–highest); within a round the systems are measured one after the other. Ratios are taken round by round. The payload is the
same ${JSON.stringify(makePayload()).length} bytes of JSON everywhere, the handler only reads the clock. Postgres and Redis run with the settings of production:
a commit is on disk before it is acknowledged. After every measurement each job must be finished and must have run once,
and each of Jobline's must be \`done\` with its two log lines, else the run fails.

- **accepted singly**: ${sizes.jobs} jobs, ${CONNECTIONS} calls at once (HTTP: ${CONNECTIONS} connections, no pipelining), no worker running.
- **accepted in batches**: ${sizes.batched} jobs in calls of ${BATCH}, ${BATCHES_IN_FLIGHT} calls at once.
- **end to end**: ${sizes.jobs} jobs submitted singly as above to a running, warm worker; from the first call to the moment at
  which the system's own store has none unfinished (checked every 2 ms).
- **backlog drained**: the ${sizes.jobs + sizes.batched} jobs of the first two waiting, then a worker process started; from its first handler's
  start, so without its boot, to the moment at which the store has none unfinished.
- **pickup**: ${sizes.pickup} jobs, one every ${1_000 / PICKUP_PER_S} ms whatever the answers do; from before the call that submits to the handler's
  start, both by the machine's monotonic clock.
- **Redis**: growth of \`used_memory\` by ${sizes.redis} jobs waiting without a worker, per job; first round only.
- **large backlog**: ${thousands(sizes.large)} jobs, otherwise like the backlog; first round only. With slow tenants: ten other organizations have
  1,000 jobs each, which wait for five seconds without using the processor; only the jobs of the first organization count.

The load generator is a separate process and reaches ${thousands(loadLimit)} requests/s against a bare node:http server.

${[...results.keys()].map(({ name, settings }) => `- **${name}**: ${settings}.`).join('\n')}`;
}

function section(title: string, header: string[], rows: string[][]): string {
  return `## ${title}\n\n${table(header, rows)}`;
}

export function table(header: string[], rows: string[][]): string {
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function show(spread: Spread | null, unit: string): string {
  if (!spread) return '–';
  const { median, min, max } = spread;
  return `**${number(median)}${unit}** (${number(min)}–${number(max)})`;
}

function number(value: number): string {
  return value >= 100 ? thousands(value) : value.toFixed(value >= 10 ? 1 : 2);
}

function thousands(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function yesOrNo(isReached: boolean | null): string {
  if (isReached === null) return '';
  return isReached ? 'yes' : '**no**';
}

function mebibytes(bytes: number): string {
  return String(Math.round(bytes / MEBIBYTE));
}
