import { createCatalogue, defineHandler } from '@jobline/handlers';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Person, World } from '../harness/index.js';

/** The functions that finish endless jobs, by name. */
export const endings = new Map<string, () => void>();

/** Controls whether jobs of type `shaky` fail. */
export const shaky = { fails: true };

/** The built-in job types, and the types `endless` and `shaky`. */
export const catalogue = createCatalogue([
  ...createCatalogue().values(),
  defineHandler<{ name: string }>({
    type: 'endless',
    run: ({ name }) => new Promise<null>((resolve) => endings.set(name, () => resolve(null))),
  }),
  defineHandler({
    type: 'shaky',
    run: async () => {
      if (shaky.fails) throw new Error('not yet');
      return null;
    },
  }),
]);

export const rows = (page: Page) => page.getByRole('table', { name: 'Jobs, newest first' }).locator('[data-row-id]');
export const row = (page: Page, id: string) => page.locator(`[data-row-id="${id}"]`);
export const isLive = (page: Page) => page.getByRole('status').getByText('Live').waitFor();
export const newJobs = (page: Page, count: number) => page.getByRole('button', { name: `${count} new job` });

/** Submits jobs that are scheduled for tomorrow. Returns their ids. */
export async function waiting(person: Person, count: number, more: object = {}): Promise<string[]> {
  const job = { type: 'greet', payload: {}, run_at: new Date(Date.now() + 86_400_000).toISOString(), ...more };
  const answer = await person.post('/jobs/batch', { jobs: Array.from({ length: count }, () => job) });
  expect(answer.status, answer.text).toBe(202);
  return answer.body.jobs.map(({ id }: { id: string }) => id);
}

export interface StoredFailure {
  type?: string;
  code?: string;
  message?: string;
  hoursAgo?: number;
}

/** Stores failed jobs without running them. Returns their ids. */
export async function storeFailures(
  { db }: World,
  { orgId }: Person,
  failures: readonly StoredFailure[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const { type = 'webhook', code = 'handler_error', message = 'failed', hoursAgo = 0 } of failures) {
    const [stored] = await db.$queryRaw<{ id: string }[]>`
      INSERT INTO jobs (key, org_id, id, type, queue, payload, status, attempt, retries, max_retries, run_at, created_at, updated_at,
                        started_at, finished_at, duration_ms, error_code, error_message, place)
      SELECT key, ${orgId}::uuid, key::text, ${type}, 'io', '{}', 'failed', 1, 0, 0, at, at, at, at, at, 5, ${code}, ${message}, 'scheduled'
      FROM (SELECT gen_random_uuid() AS key, now() - ${hoursAgo}::float8 * interval '1 hour' AS at) AS one
      RETURNING id`;
    ids.push(stored?.id ?? '');
  }
  return ids;
}
