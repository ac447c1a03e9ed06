import { createCatalogue, defineHandler } from '@jobline/handlers';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Person } from '../harness/index.js';

/** The functions that finish gated jobs, by name. */
export const gates = new Map<string, () => void>();

/** Controls whether jobs of type `shaky` fail. */
export const shaky = { fails: true };

/** The built-in job types, and the types `gated` and `shaky`. */
export const catalogue = createCatalogue([
  ...createCatalogue().values(),
  defineHandler<{ name: string }>({
    type: 'gated',
    run: ({ name }) => new Promise<null>((resolve) => gates.set(name, () => resolve(null))),
  }),
  defineHandler({
    type: 'shaky',
    run: async () => {
      if (shaky.fails) throw new Error('not yet');
      return null;
    },
  }),
]);

export const rows = (page: Page) => page.getByRole('table', { name: 'Jobs, newest first' }).locator('tbody tr');
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
