import { createCatalogue } from '@jobline/handlers';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { createSchedule } from '../api/schedules/support.js';
import { finishedJob, register, until } from '../harness/index.js';
import { createNamedJobs } from '../journey/named-jobs.js';
import { NARROW } from './looks.js';
import { usePages } from './support.js';

const { api, openPageAs, world } = usePages();
const { handlers } = createNamedJobs(['called']);
beforeAll(() => world().worker({ catalogue: createCatalogue(handlers) }));

const JOB = { cron: '0 9 * * 1-5', type: 'called', payload: { name: 'done:1' } };
const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });

it('the list shows how the last runs ended, as links to their jobs, and when a schedule runs, as a sentence', async () => {
  const owner = await register(api().call);
  const { id } = await createSchedule(owner, { ...JOB, name: 'Report' });
  await createSchedule(owner, { ...JOB, name: 'Idle' });
  const first = (await owner.post(`/schedules/${id}/run`)).body;
  await finishedJob(owner, first.id);
  await owner.put('/org/limits/closed', { paused: true });
  await owner.patch(`/schedules/${id}`, { limit: 'closed' });
  const second = (await owner.post(`/schedules/${id}/run`)).body;
  const page = await openPageAs(owner, '/schedules');
  await row(page, 'Report').getByText('At 09:00, Monday through Friday (UTC)').waitFor();
  await row(page, 'Report').getByRole('link', { name: 'Pending' }).waitFor();
  await owner.post(`/jobs/${second.id}/cancel`);
  await row(page, 'Report').getByRole('link', { name: 'Failed' }).waitFor();
  expect(await row(page, 'Idle').getByRole('link').count()).toBe(1);

  await page.getByRole('link', { name: 'Report' }).click();
  const runs = page.getByRole('list', { name: 'Last runs' }).getByRole('link');
  await runs.filter({ hasText: 'Failed' }).waitFor();
  expect(await runs.allInnerTexts()).toEqual([expect.stringMatching(/^Failed/), expect.stringMatching(/^Done/)]);
  await runs.nth(1).click();
  await page.waitForURL(`**/job/${first.id}`);
});

it('the list is filtered by a part of the name, which the address keeps', async () => {
  const owner = await register(api().call);
  for (const name of ['Nightly report', 'Sync', 'Report 2']) await createSchedule(owner, { ...JOB, name });
  const page = await openPageAs(owner, '/schedules');
  const filter = page.getByRole('searchbox', { name: 'Filter by name' });
  await filter.fill('REPORT');
  await row(page, 'Sync').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Nightly report' }).click();
  await page.getByRole('region', { name: 'Nightly report' }).waitFor();
  await page.reload();
  await row(page, 'Report 2').waitFor();
  expect(await filter.inputValue()).toBe('REPORT');
  await filter.fill('nothing');
  await page.getByText('No schedule has “nothing” in its name.').waitFor();
  await filter.fill('');
  await row(page, 'Sync').waitFor();
});

it('the page of a link to a schedule shows it on a phone, below many others', async () => {
  const owner = await register(api().call);
  const { id } = await createSchedule(owner, { ...JOB, name: 'The oldest' });
  for (let n = 0; n < 12; n++) await createSchedule(owner, { ...JOB, name: `Newer ${n}` });
  const page = await openPageAs(owner, `/schedules?id=${id}`, { width: NARROW });
  const title = page.getByRole('link', { name: 'The oldest' });
  await until('the schedule to be in view', () =>
    title.evaluate((link) => {
      const { top, bottom } = link.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    }),
  );
});
