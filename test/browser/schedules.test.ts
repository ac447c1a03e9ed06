import { createCatalogue } from '@jobline/handlers';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Person, register, until } from '../harness/index.js';
import { createNamedJobs } from '../journey/named-jobs.js';
import { DEFAULT_LOOK, expectAccessibleInEveryLook, screenshot } from './looks.js';
import { passTime } from './page-pool.js';
import { usePages } from './support.js';
import { fail, hold } from './team-support.js';

const { allow, api, openPageAs, world } = usePages();
const jobs = createNamedJobs(['called']);
beforeAll(() => world().worker({ catalogue: createCatalogue(jobs.handlers) }));
afterEach(() => jobs.reset());

const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });
const dialog = (page: Page) => page.getByRole('dialog');
const field = (page: Page, name: string) => dialog(page).getByRole('textbox', { name });
const search = (page: Page, name: string) => dialog(page).getByRole('combobox', { name });
const preview = (page: Page) => dialog(page).getByRole('region', { name: 'Preview' });

async function createSchedule(person: Person, name: string, more: object = {}) {
  const body = { name, cron: '0 9 * * 1-5', type: 'called', payload: { name }, ...more };
  const answer = await person.post('/schedules', body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

async function listSchedules(person: Person) {
  return (await person.get('/schedules')).body;
}

describe('the form', () => {
  it('previews the sentence and the next five times while the user types, and creates the schedule', async () => {
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/schedules');
    await page.getByText('No schedules.').waitFor();
    await page.getByRole('main').getByRole('button', { name: 'New schedule' }).first().click();
    await field(page, 'Name').fill('Weekly report');
    await field(page, 'Cron expression').fill('30 8 * * 1');
    await search(page, 'Time zone').fill('Asia/Tokyo');
    await preview(page).getByText('At 08:30, only on Monday (Asia/Tokyo)').waitFor();
    const times = preview(page).getByRole('listitem');
    expect(await times.count()).toBe(5);
    await times.first().getByText('08:30:00 GMT+9 · Asia/Tokyo').waitFor();

    await search(page, 'Type').fill('caled');
    await dialog(page)
      .getByRole('combobox', { name: 'Type', description: /^No live worker handles this type\./ })
      .waitFor();
    await search(page, 'Type').fill('called');
    await dialog(page)
      .getByRole('combobox', { name: 'Type', description: /^Queue io\./ })
      .waitFor();
    await field(page, 'Payload').fill('{"name": "weekly"}');
    await field(page, 'Tags').fill('report, weekly');
    await dialog(page).getByRole('button', { name: 'Create schedule' }).click();
    const detail = page.getByRole('region', { name: 'Weekly report' });
    await detail.getByText('At 08:30, only on Monday (Asia/Tokyo)').waitFor();
    const [schedule] = await listSchedules(owner);
    expect(schedule).toMatchObject({
      cron: '30 8 * * 1',
      timezone: 'Asia/Tokyo',
      type: 'called',
      payload: { name: 'weekly' },
      tags: ['report', 'weekly'],
      max_retries: 3,
    });
  });

  it('shows each mistake at its field, and keeps the input', async () => {
    allow(/status of 400/);
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/schedules');
    await page.keyboard.press('n');
    await field(page, 'Cron expression').fill('61 * * * *');
    await preview(page)
      .getByText(/^The cron expression /)
      .waitFor();
    await field(page, 'Payload').fill('{"a": }');
    await dialog(page).getByRole('button', { name: 'Create schedule' }).click();
    await dialog(page)
      .getByRole('textbox', { name: 'Name', description: /Enter a name/ })
      .waitFor();
    await dialog(page)
      .getByRole('textbox', { name: 'Payload', description: /Invalid JSON/ })
      .waitFor();

    await field(page, 'Name').fill('Broken');
    await field(page, 'Payload').fill('{"text": 7}');
    await dialog(page).getByText('More: priority').click();
    await field(page, 'Limit').fill('no-such-limit');
    await dialog(page).getByRole('button', { name: 'Create schedule' }).click();
    await dialog(page).getByRole('textbox', { name: 'Cron expression', description: /./ }).waitFor();
    await dialog(page)
      .getByRole('textbox', { name: 'Payload', description: /payload\.text/ })
      .waitFor();
    await field(page, 'Cron expression').fill('* * * * *');
    await field(page, 'Payload').fill('{"text": "A text."}');
    await dialog(page).getByRole('button', { name: 'Create schedule' }).click();
    await dialog(page)
      .getByRole('textbox', { name: 'Limit', description: /not a limit/ })
      .waitFor();
    await page.locator(':focus').and(field(page, 'Limit')).waitFor();
    await page.keyboard.type('x'); // clears the error, and the field stays
    await field(page, 'Limit').fill('also-none');
    await page.keyboard.press('Escape'); // must not discard the input
    await dialog(page).waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    expect(await field(page, 'Limit').inputValue()).toBe('also-none');
    await dialog(page).getByRole('radio', { name: 'Again and again after a fixed period' }).click();
    await field(page, 'Every').fill('many');
    await dialog(page).getByRole('button', { name: 'Create schedule' }).click();
    await dialog(page)
      .getByRole('textbox', { name: 'Every', description: /Enter a whole number/ })
      .waitFor();
    expect(await listSchedules(owner)).toEqual([]);
  });

  it('keeps a draft until it is sent or discarded, and restores a discarded one', async () => {
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/schedules');
    await page.keyboard.press('n');
    await field(page, 'Name').fill('Half done');
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.reload();
    await page.getByText('No schedules.').waitFor();
    await page.keyboard.press('n');
    expect(await field(page, 'Name').inputValue()).toBe('Half done');
    await dialog(page).getByRole('button', { name: 'Discard draft' }).click();
    expect(await field(page, 'Name').inputValue()).toBe('');
    await dialog(page).getByRole('button', { name: 'Undo' }).click();
    expect(await field(page, 'Name').inputValue()).toBe('Half done');
    await dialog(page).getByRole('button', { name: 'Create schedule' }).click();
    await row(page, 'Half done').first().waitFor();
    await page.keyboard.press('n');
    expect(await field(page, 'Name').inputValue()).toBe('');
  });

  it('an edit changes only what the user has changed', async () => {
    const owner = await register(api().call);
    const { id } = await createSchedule(owner, 'Sync', { every_seconds: 300, cron: null });
    const page = await openPageAs(owner, `/schedules?id=${id}`);
    await page.getByRole('button', { name: 'Edit schedule' }).click();
    await preview(page).getByText('Every 5 minutes').waitFor();
    await owner.patch(`/schedules/${id}`, { max_retries: 7 });
    await field(page, 'Every').fill('2');
    await dialog(page).getByRole('combobox', { name: 'Unit' }).click();
    await page.getByRole('option', { name: 'hours' }).click();
    await preview(page).getByText('Every 2 hours').waitFor();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('region', { name: 'Sync' }).getByText('Every 2 hours').waitFor();
    expect((await owner.get(`/schedules/${id}`)).body).toMatchObject({ every_seconds: 7_200, max_retries: 7 });
  });
});

describe('the list', () => {
  it('a schedule runs now, is paused and resumed in one click, and is deleted', async () => {
    const owner = await register(api().call);
    const { id } = await createSchedule(owner, 'Report', { payload: { name: 'by hand' } });
    const page = await openPageAs(owner, '/schedules');
    const release = await hold(page, '**/schedules/*/run');
    await page.getByRole('button', { name: 'Run now: Report' }).dblclick();
    release();
    await page.getByText('A job of Report is submitted').first().waitFor();
    await until('the job to run', () => jobs.started.includes('by hand'));

    await page.getByRole('button', { name: 'Pause Report' }).click();
    await row(page, 'Report').getByText('Paused').waitFor();
    expect((await owner.get(`/schedules/${id}`)).body).toMatchObject({ enabled: false, next_run_at: null });
    await page.getByRole('button', { name: 'Resume Report' }).click();
    await row(page, 'Report').getByText('Paused').waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Report' }).click();
    await page.getByRole('link', { name: 'Show its jobs' }).click();
    await page.getByText('Schedule:').waitFor();
    await page.getByText('1 job in total').waitFor(); // a double click runs it once
    await page.goBack();
    await page.getByRole('button', { name: 'Delete schedule' }).click();
    await page.getByRole('alertdialog', { name: 'Delete Report?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No schedules.').waitFor();
    expect(await listSchedules(owner)).toEqual([]);
  });

  it('a link to a deleted schedule says so', async () => {
    allow(/status of 404/);
    const owner = await register(api().call);
    const { id } = await createSchedule(owner, 'Gone');
    await createSchedule(owner, 'Other');
    await owner.delete(`/schedules/${id}`);
    const page = await openPageAs(owner, `/schedules?id=${id}`);
    await row(page, 'Other').waitFor();
    await page.getByText('This schedule does not exist any more.').waitFor();
  });

  it('shows the next time in the time zone of the user and in that of the schedule', async () => {
    const owner = await register(api().call);
    await createSchedule(owner, 'Tokyo', { cron: '0 9 * * *', timezone: 'Asia/Tokyo' });
    await createSchedule(owner, 'Here', { cron: '0 9 * * *', timezone: 'Africa/Nairobi' });
    const page = await openPageAs(owner, '/schedules');
    await row(page, 'Tokyo').getByText('03:00:00 GMT+3').waitFor();
    await row(page, 'Tokyo').getByText('09:00:00 GMT+9 · Asia/Tokyo').waitFor();
    await row(page, 'Here').getByText('09:00:00 GMT+3').waitFor();
    expect(await row(page, 'Here').getByText('·').count()).toBe(0);
  });

  it('a failed action says why', async () => {
    allow(/status of 503/);
    const owner = await register(api().call);
    await createSchedule(owner, 'Steady');
    const page = await openPageAs(owner, '/schedules');
    await fail(page, '**/schedules/*', 'PATCH');
    await page.getByRole('button', { name: 'Pause Steady' }).click();
    await page.getByText('Postgres is unavailable').first().waitFor();
    await fail(page, '**/schedules/*/run', 'POST');
    await page.getByRole('button', { name: 'Run now: Steady' }).click();
    await page.getByText('Steady did not run').first().waitFor();
  });

  it('the page works with the keyboard only', async () => {
    const owner = await register(api().call);
    await createSchedule(owner, 'A');
    await createSchedule(owner, 'B');
    const page = await openPageAs(owner, '/domains');
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await row(page, 'B').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'A', exact: true }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'New schedule' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
  });

  it('the page shows loading and error states and can retry', async () => {
    allow(/status of 503/);
    const owner = await register(api().call);
    await createSchedule(owner, 'There');
    const page = await openPageAs(owner, '/sms', { hasClock: true });
    const release = await hold(page, '**/schedules');
    await page.goto('/schedules');
    await page.getByRole('status').getByText('Loading Schedules').waitFor();
    release();
    await row(page, 'There').waitFor();
    await fail(page, '**/schedules');
    await page.reload();
    await passTime(page, page.getByRole('alert').getByText('Postgres is unavailable'));
    await screenshot(page, 'schedules-error', DEFAULT_LOOK);
    await page.unroute('**/schedules');
    await page.getByRole('button', { name: 'Try again' }).click();
    await row(page, 'There').waitFor();
  });
});

it('the page is accessible in every theme and width: empty, with an open schedule, and the form', async () => {
  const owner = await register(api().call);
  const page = await openPageAs(owner, '/schedules');
  await expectAccessibleInEveryLook(page, 'schedules-empty', page.getByText('No schedules.'));
  await createSchedule(owner, 'Sync the inventory', { cron: null, every_seconds: 900, enabled: false });
  const { id } = await createSchedule(owner, 'Invoices on the last day', {
    cron: '0 18 L * *',
    timezone: 'Africa/Nairobi',
    tags: ['invoices', 'monthly'],
    overlap: 'skip',
    missed: 'run_all',
  });
  await createSchedule(owner, `Reminders with a name ${'that does not end '.repeat(3)}`);
  await page.goto(`/schedules?id=${id}`);
  await row(page, 'Sync the inventory').getByText('Paused').waitFor();
  await expectAccessibleInEveryLook(page, 'schedules', page.getByRole('list', { name: 'Next times' }));
  await page.getByRole('button', { name: 'Edit schedule' }).click();
  await expectAccessibleInEveryLook(page, 'schedules-form', preview(page).getByRole('list', { name: 'Next times' }));
});
