import type { Options, Phase } from './options.js';
import { CONNECTIONS } from './peers/http.js';
import type { Memory, Process } from './processes.js';
import type { Services } from './services.js';
import { quantile } from './statistics.js';
import type { Jobs, RunningSystem, System } from './system.js';
import { type Watch, watch } from './watch.js';

/** The metrics of one system in one round: jobs per second, milliseconds or bytes. */
export type Metrics = Partial<
  Record<'accept' | 'batch' | 'drain' | 'e2e' | 'pickup50' | 'pickup99' | 'redis' | 'large' | 'tenants', number>
>;

export interface Measurement {
  metrics: Metrics;
  /** The memory of each process after the measurements. */
  memory: { name: string; memory: Memory }[];
}

export const BATCH = 1_000;
export const BATCHES_IN_FLIGHT = 4;
export const PICKUP_PER_S = 200;
/** Measured in the first round only, because they take long or do not vary. */
const ONCE: ReadonlySet<Phase> = new Set(['redis', 'large', 'tenants']);

/** Starts a system, measures it and stops it. Throws if a job was lost, run twice or not recorded. */
export async function measureSystem(
  system: System,
  services: Services,
  options: Options,
  isFirst: boolean,
  say: (what: string) => void,
): Promise<Measurement> {
  const running = await system.start(services);
  const phases = new Set(options.phases.filter((phase) => isFirst || !ONCE.has(phase)));
  try {
    if (running.jobs) return await measureJobs(running, running.jobs, { services, options, phases, say });
    if (!phases.has('accept')) return { metrics: {}, memory: [] };
    await running.submitter.call('singly', options.sizes.jobs, CONNECTIONS);
    const metrics = { accept: await accept(running, options.sizes.jobs) };
    say(`accept ${Math.round(metrics.accept)}/s`);
    return { metrics, memory: memoryOf(running.processes) };
  } finally {
    await running.stop();
  }
}

interface Measuring {
  services: Services;
  options: Options;
  phases: ReadonlySet<Phase>;
  say(what: string): void;
}

async function measureJobs(
  running: RunningSystem,
  jobs: Jobs,
  { services, options, phases, say }: Measuring,
): Promise<Measurement> {
  const { submitter } = running;
  const { sizes } = options;
  const metrics: Metrics = {};
  const note = (name: keyof Metrics, value: number) => {
    metrics[name] = value;
    say(`${name} ${value < 100 ? value.toFixed(2) : Math.round(value)}`);
  };
  await jobs.store.clear();
  await services.flush();

  if (phases.has('redis')) {
    const before = await services.redisBytes();
    await submitMany(submitter, jobs, sizes.redis);
    note('redis', ((await services.redisBytes()) - before) / sizes.redis);
    await jobs.store.clear();
    await services.flush();
  }
  await withWorker(jobs, async (_, seen) => {
    await submitter.call('singly', sizes.warmUp, CONNECTIONS);
    await finish(jobs, seen, sizes.warmUp);
  });
  await jobs.store.clear();

  let backlog = 0;
  if (phases.has('accept')) {
    await services.checkpoint();
    note('accept', await accept(running, sizes.jobs));
    backlog += sizes.jobs;
  }
  if (phases.has('batch') && jobs.takesBatches) {
    await services.checkpoint();
    note('batch', perSecond(sizes.batched, await submitter.call('batches', sizes.batched, BATCH, BATCHES_IN_FLIGHT)));
    backlog += sizes.batched;
  }
  const wanted = sizes.jobs + sizes.batched;
  if (backlog < wanted && phases.has('drain')) {
    await submitMany(submitter, jobs, wanted - backlog);
    backlog = wanted;
  }
  const memory = await withWorker(jobs, async (worker, seen) => {
    const drainedAt = await finish(jobs, seen, backlog);
    if (phases.has('drain')) note('drain', perSecond(backlog, { startedAt: seen.firstAt(), endedAt: drainedAt }));
    if (phases.has('e2e')) {
      await next(jobs, seen, services);
      const { startedAt } = await submitter.call('singly', sizes.jobs, CONNECTIONS);
      note('e2e', perSecond(sizes.jobs, { startedAt, endedAt: await finish(jobs, seen, sizes.jobs) }));
    }
    // A route in between changes how many jobs fit through, and hardly how long a single one waits.
    if (phases.has('pickup') && jobs.takesBatches) {
      await next(jobs, seen, services);
      await submitter.call('paced', sizes.pickup, PICKUP_PER_S);
      await finish(jobs, seen, sizes.pickup);
      note('pickup50', quantile(seen.pickupMs(), 0.5));
      note('pickup99', quantile(seen.pickupMs(), 0.99));
    }
    return memoryOf([...running.processes, worker]);
  });
  if (phases.has('large') && jobs.takesBatches) note('large', await drainLarge(running, jobs, services, sizes.large));
  if (phases.has('tenants') && jobs.addSlowTenants) {
    note('tenants', await drainLarge(running, jobs, services, sizes.large, jobs.addSlowTenants));
  }
  return { metrics, memory };
}

/** Returns the jobs per second of a large backlog. `prepare` submits other jobs before it. */
async function drainLarge(
  { submitter }: RunningSystem,
  jobs: Jobs,
  services: Services,
  count: number,
  prepare?: () => Promise<void>,
): Promise<number> {
  await jobs.store.clear();
  await services.flush();
  await prepare?.();
  await submitMany(submitter, jobs, count);
  await services.checkpoint();
  return withWorker(jobs, async (_, seen) => {
    const endedAt = await finish(jobs, seen, count);
    return perSecond(count, { startedAt: seen.firstAt(), endedAt });
  });
}

async function accept({ submitter }: RunningSystem, count: number): Promise<number> {
  return perSecond(count, await submitter.call('singly', count, CONNECTIONS));
}

export async function submitMany(submitter: Process, { takesBatches }: Jobs, count: number): Promise<void> {
  if (takesBatches) await submitter.call('batches', count, BATCH, BATCHES_IN_FLIGHT);
  else await submitter.call('singly', count, CONNECTIONS);
}

/** Stops the worker in every case. */
export async function withWorker<T>(jobs: Jobs, work: (worker: Process, seen: Watch) => Promise<T>): Promise<T> {
  const worker = await jobs.startWorker();
  try {
    return await work(worker, watch(worker));
  } finally {
    await worker.stop();
  }
}

/** Waits for the last job. Throws if a job was lost or run twice. Returns the time of the end. */
export async function finish({ store }: Jobs, seen: Watch, count: number): Promise<number> {
  const endedAt = await seen.finished(count, store);
  if (seen.count() !== count) throw new Error(`${seen.count()} runs of ${count} jobs`);
  const fault = await store.fault(count);
  if (fault) throw new Error(fault);
  return endedAt;
}

/** Prepares the next measurement: the worker keeps running, without jobs and records. */
export async function next({ store }: Jobs, seen: Watch, services: Services): Promise<void> {
  await store.clear();
  await services.checkpoint();
  seen.reset();
}

export function perSecond(count: number, { startedAt, endedAt }: { startedAt: number; endedAt: number }): number {
  return (count * 1_000) / (endedAt - startedAt);
}

function memoryOf(processes: readonly Process[]): Measurement['memory'] {
  return processes.flatMap((one) => {
    const memory = one.memory();
    return memory ? [{ name: one.name, memory }] : [];
  });
}
