import { finish, next, perSecond, submitMany, withWorker } from './measure-system.js';
import type { Sizes } from './options.js';
import { CONNECTIONS } from './peers/http.js';
import type { Process } from './processes.js';
import { table } from './report.js';
import type { Services } from './services.js';
import type { Jobs, RunningSystem } from './system.js';
import { startJobline } from './systems/jobline.js';

/** One measurement of Jobline with several processes of each app. */
export interface Scaled {
  count: number;
  phase: 'accept' | 'drain' | 'e2e';
  perSecond: number;
  /** CPU time of each part in µs per job; null without /proc. */
  cpuUs: Record<Part, number | null>;
}

const PARTS = ['api', 'worker', 'postgres', 'redis', 'load'] as const;
type Part = (typeof PARTS)[number];

/** Measures what is accepted, drained and done end to end with `count` APIs and workers. */
export async function measureScaled(
  services: Services,
  { count, sizes }: { count: number; sizes: Sizes },
): Promise<Scaled[]> {
  const running = await startJobline(services, count);
  try {
    return await measurePhases(running, services, sizes, count);
  } finally {
    await running.stop();
  }
}

async function measurePhases(
  { submitter, processes, jobs }: RunningSystem & { jobs: Jobs },
  services: Services,
  sizes: Sizes,
  count: number,
): Promise<Scaled[]> {
  const results: Scaled[] = [];
  /** Measures a phase, whose work returns the jobs per second. */
  async function phase(name: Scaled['phase'], size: number, worker: Process | null, work: () => Promise<number>) {
    await services.checkpoint();
    const cpuMs = () => ({
      api: sumOf(processes),
      worker: worker ? sumOf([worker]) : null,
      ...services.cpuMs(),
      load: sumOf([submitter]),
    });
    const before = cpuMs();
    const rate = await work();
    const after = cpuMs();
    const us = (part: Part) => {
      const [from, to] = [before[part], after[part]];
      return from === null || to === null ? null : ((to - from) * 1_000) / size;
    };
    const cpuUs = {
      api: us('api'),
      worker: us('worker'),
      postgres: us('postgres'),
      redis: us('redis'),
      load: us('load'),
    };
    results.push({ count, phase: name, perSecond: rate, cpuUs });
  }

  await jobs.store.clear();
  await services.flush();
  await withWorker(jobs, async (_, seen) => {
    await submitter.call('singly', sizes.warmUp, CONNECTIONS);
    await finish(jobs, seen, sizes.warmUp);
  });
  await jobs.store.clear();
  await phase('accept', sizes.jobs, null, async () =>
    perSecond(sizes.jobs, await submitter.call('singly', sizes.jobs, CONNECTIONS)),
  );
  await submitMany(submitter, jobs, sizes.batched);
  const backlog = sizes.jobs + sizes.batched;
  await withWorker(jobs, async (worker, seen) => {
    await phase('drain', backlog, worker, async () => {
      const endedAt = await finish(jobs, seen, backlog);
      return perSecond(backlog, { startedAt: seen.firstAt(), endedAt });
    });
    await next(jobs, seen, services);
    await phase('e2e', sizes.jobs, worker, async () => {
      const { startedAt } = await submitter.call('singly', sizes.jobs, CONNECTIONS);
      return perSecond(sizes.jobs, { startedAt, endedAt: await finish(jobs, seen, sizes.jobs) });
    });
  });
  return results;
}

function sumOf(processes: readonly Process[]): number | null {
  const all = processes.map((one) => one.cpuMs());
  return all.some((ms) => ms === null) ? null : all.reduce<number>((sum, ms) => sum + (ms ?? 0), 0);
}

/** The table, as Markdown. */
export function scaledTable(results: readonly Scaled[]): string {
  const header = ['processes of each app', 'phase', 'jobs/s', ...PARTS.map((part) => `${part}, µs per job`)];
  const rows = results.map(({ count, phase, perSecond: rate, cpuUs }) => [
    String(count),
    phase,
    String(Math.round(rate)),
    ...PARTS.map((part) => (cpuUs[part] === null ? '–' : String(Math.round(cpuUs[part])))),
  ]);
  return table(header, rows);
}
