import type { Db } from '@jobline/db';
import { until } from '../harness/index.js';
import type { FaultyPlace } from './limit-faults.js';

/** The number of jobs in a chain. */
export const LENGTH = 5;
const PER_BATCH = 100;

const idOf = (chain: number, n: number) => `chain-${chain}-${n}`;

/**
 * Submits chains of jobs, each after the one before it and, from the third one on, also after the end of the one before that. A batch has
 * several chains, in an order in which jobs come before those that they name, too. A request without an answer is repeated.
 */
export async function submitChains({ person, receiver }: FaultyPlace, from: number, to: number): Promise<void> {
  for (let first = from; first < to; first += PER_BATCH) {
    const chains = Array.from({ length: Math.min(PER_BATCH, to - first) }, (_, n) => first + n);
    const jobs = chains.flatMap((chain) => {
      const own = Array.from({ length: LENGTH }, (_, n) => ({
        ...{ id: idOf(chain, n), type: 'webhook', max_retries: 20 },
        payload: { url: `${receiver.url}/${chain}/${n}`, payload: {} },
        ...(n > 0 && { after: [idOf(chain, n - 1), ...(n > 1 ? [{ id: idOf(chain, n - 2), when: 'ended' }] : [])] }),
      }));
      return chain % 2 === 0 ? own : own.reverse();
    });
    let last = '';
    await until(
      () => `the chains from ${first} to be accepted: ${last}`,
      async () => {
        const answer = await person
          .post('/jobs/batch', { jobs })
          .catch((error) => ({ status: 0, text: String(error) }));
        last = answer.text;
        return answer.status === 202;
      },
    );
  }
}

/** What is wrong with the chains once all of them are done. */
export async function brokenChains(db: Db): Promise<string[]> {
  const rows = await db.$queryRaw<{ what: string }[]>`
    WITH s AS (
      SELECT job_key AS key, min(at) FILTER (WHERE kind = 'started') AS started_at,
        count(*) FILTER (WHERE kind = 'started') AS starts, count(*) FILTER (WHERE status = 'pending') AS again
      FROM job_logs GROUP BY 1)
    SELECT format('%s is %s', id, status) AS what FROM jobs WHERE status <> 'done'
    UNION ALL
    SELECT format('%s started %s times, was released %s times', f.id, s.starts, s.again)
    FROM finished_jobs f JOIN s USING (key) WHERE s.starts <> s.again + 1
    UNION ALL
    SELECT format('%s started at %s, before the end of %s at %s', w.id, s.started_at, a.id, a.finished_at)
    FROM job_conditions c JOIN finished_jobs w ON w.key = c.job_key JOIN s ON s.key = w.key JOIN finished_jobs a ON a.key = c.after_key
    WHERE s.started_at < a.finished_at
    UNION ALL
    SELECT format('the condition of %s on %s is %s', c.id, c.after_id, c.state) FROM job_conditions c WHERE c.state <> 'met'`;
  return rows.map(({ what }) => what);
}

/** How long the jobs were not due after the last of their conditions was met, in ms, in ascending order. */
export async function dueDelays(db: Db): Promise<number[]> {
  const rows = await db.$queryRaw<{ ms: number }[]>`
    SELECT extract(epoch FROM w.run_at - max(a.finished_at))::float8 * 1000 AS ms
    FROM job_conditions c JOIN finished_jobs w ON w.key = c.job_key JOIN finished_jobs a ON a.key = c.after_key
    WHERE w.attempt = 1 GROUP BY w.key, w.run_at ORDER BY 1`;
  return rows.map(({ ms }) => ms);
}
