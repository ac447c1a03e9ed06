import { checkTimes } from './history/check-times.js';
import { createPublicApi, type PublicApi } from './history/public-api.js';
import { LIMIT } from './mix.js';

/** An organization with a limit, schedules and a webhook. */
export interface Organization {
  key: string;
  api: PublicApi;
  /** Whether no job is pending or processing. */
  isIdle(): Promise<boolean>;
  /** Ends the schedules. */
  pauseSchedules(): Promise<void>;
  /** Planned times without a job, or with several, and jobs of schedules that are not done. */
  checkSchedules(): Promise<{ jobs: number; problems: string[] }>;
  /** The number of all of its jobs. */
  countJobs(): Promise<number>;
}

const SCHEDULES = 10;
const PERIOD_S = 5;

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

  const list = <T>(query: string) => api.ask<T[]>(`/jobs?${query}`);
  return {
    key,
    api,
    async isIdle() {
      const pages = await Promise.all(['pending', 'processing'].map((status) => list(`limit=1&status=${status}`)));
      return pages.every((page) => page.length === 0);
    },
    async pauseSchedules() {
      for (const id of schedules) await api.ask(`/schedules/${id}`, { method: 'PATCH', body: { enabled: false } });
    },
    async checkSchedules() {
      const problems: string[] = [];
      let jobs = 0;
      for (const schedule of schedules) {
        const made = await list<{ id: string; status: string }>(`limit=1000&schedule=${schedule}`);
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
