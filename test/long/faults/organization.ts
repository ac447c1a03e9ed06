import { checkTimes } from './history/check-times.js';
import { createPublicApi, type PublicApi } from './history/public-api.js';
import { LIMIT } from './mix.js';

/** An organization with a limit, schedules and a webhook. */
export interface Organization {
  key: string;
  api: PublicApi;
  /** Resolves when no job is pending or processing, or when nothing has changed for a long time. */
  finish(progress: () => number): Promise<void>;
  /** Ends the schedules. */
  pauseSchedules(): Promise<void>;
  /** Planned times without a job, or with several, and jobs of schedules that are not done. */
  checkSchedules(): Promise<{ jobs: number; problems: string[] }>;
  /** The number of all of its jobs. */
  countJobs(): Promise<number>;
}

const SCHEDULES = 10;
const PERIOD_S = 5;
/** Only against hangs: after this time without progress, the jobs that are left are stuck. */
const STUCK_AFTER_MS = 240_000;
const POLL_EVERY_MS = 500;

export async function createOrganization(options: {
  urls(): readonly string[];
  recorderUrl: string;
  hasEvents: boolean;
}): Promise<Organization> {
  const { urls, recorderUrl, hasEvents } = options;
  const account = { org_name: 'Faults', email: 'owner@example.com', password: 'correct horse battery' };
  const anonymous = createPublicApi(urls, {});
  const { token } = await anonymous.ask<{ token: string }>('/auth/register', { method: 'POST', body: account });
  const api = createPublicApi(urls, { authorization: `Bearer ${token}` });
  const { key } = await api.ask<{ key: string }>('/org/api-keys', { method: 'POST', body: { name: 'faults' } });
  await api.ask(`/org/limits/${LIMIT.name}`, { method: 'PUT', body: { concurrency: LIMIT.concurrency } });
  if (hasEvents)
    await api.ask('/org/webhooks', { method: 'POST', body: { url: `${recorderUrl}/events`, events: ['job.failed'] } });
  const schedules: string[] = [];
  for (let n = 0; n < SCHEDULES; n++) {
    const job = { type: 'webhook', payload: { url: `${recorderUrl}/tick`, payload: { n } }, max_retries: 20 };
    const body = { name: `s${n}`, every_seconds: PERIOD_S, missed: 'run_all', ...job };
    schedules.push((await api.ask<{ id: string }>('/schedules', { method: 'POST', body })).id);
  }

  const list = <T>(query: string) => api.ask<T[]>(`/jobs?limit=1000&${query}`);
  const isIdle = async () => {
    for (const status of ['pending', 'processing']) {
      if ((await api.ask<unknown[]>(`/jobs?limit=1&status=${status}`)).length > 0) return false;
    }
    return true;
  };
  return {
    key,
    api,
    async finish(progress) {
      let [last, since] = [-1, performance.now()];
      while (!(await isIdle()) && performance.now() < since + STUCK_AFTER_MS) {
        if (progress() !== last) [last, since] = [progress(), performance.now()];
        await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
      }
    },
    async pauseSchedules() {
      for (const id of schedules) await api.ask(`/schedules/${id}`, { method: 'PATCH', body: { enabled: false } });
    },
    async checkSchedules() {
      const problems: string[] = [];
      let jobs = 0;
      for (const schedule of schedules) {
        const made = await list<{ id: string; status: string }>(`schedule=${schedule}`);
        const times: number[] = [];
        for (const { id, status } of made) {
          if (status !== 'done') problems.push(`job ${id} of a schedule is ${status}`);
          const { planned_at: plannedAt } = await api.ask<{ planned_at: string }>(`/jobs/${id}`);
          times.push(Date.parse(plannedAt));
        }
        jobs += made.length;
        problems.push(...checkTimes(times, PERIOD_S * 1_000));
      }
      return { jobs, problems };
    },
    async countJobs() {
      const { by_status: counts } = await api.ask<{ by_status: Record<string, number> }>('/stats/jobs?window=24h');
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
  };
}
