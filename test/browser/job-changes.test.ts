import { createCatalogue } from '@jobline/handlers';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { finishedJob, register, submitJob, until } from '../harness/index.js';
import { createNamedJobs } from '../journey/named-jobs.js';
import { expectAccessibleInEveryLook } from './looks.js';
import { usePages } from './support.js';

const { allow, api, openPageAs, world } = usePages();
const jobs = createNamedJobs(['called']);
beforeAll(() => world().worker({ catalogue: createCatalogue(jobs.handlers) }));
afterEach(() => jobs.reset());

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
/** A time in so many minutes, for an input in the time zone of the browser, which is three hours ahead of UTC. */
const localTime = (minutes: number) => new Date(Date.now() + (180 + minutes) * 60_000).toISOString().slice(0, 16);
const dialog = (page: Page) => page.getByRole('dialog');

async function choose(page: Page, item: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

describe('a finished job', () => {
  it('runs again as a new job that names it', async () => {
    const owner = await register(api().call);
    const id = await submitJob(owner, 'called', { name: 'again:1' }, { tags: ['night'] });
    await finishedJob(owner, id);
    const page = await openPageAs(owner, `/job/${id}`);
    await choose(page, /^Run again/);
    await page.getByText('Submitted again as a new job').first().waitFor();
    await page.getByText('rerun of').waitFor();
    await until('the job to run twice', () => jobs.started.length === 2);
    const [rerun] = (await owner.get('/jobs')).body;
    expect(rerun).toMatchObject({ type: 'called', tags: ['night'] });
    expect(new URL(page.url()).pathname).toBe(`/job/${rerun.id}`);
    await page.locator(`a[title="${id}"]`).click();
    await page.waitForURL(`**/job/${id}`);
  });

  it('runs again with another payload, and a mistake in it is shown at the field', async () => {
    allow(/status of 400/);
    const owner = await register(api().call);
    const id = await submitJob(owner, 'ai_summarize', { text: 'First.' }, { run_at: inAnHour() });
    await owner.post(`/jobs/${id}/cancel`, {});
    const page = await openPageAs(owner, `/job/${id}`);
    await choose(page, /^Edit and run again/);
    const payload = dialog(page).getByRole('textbox', { name: 'Payload' });
    await payload.fill('{"text": ');
    await dialog(page).getByRole('button', { name: 'Run again' }).click();
    await dialog(page).getByText('Invalid JSON').waitFor();
    await payload.fill('{"text": 1}');
    await dialog(page).getByRole('button', { name: 'Run again' }).click();
    await dialog(page)
      .getByText(/payload\.text/)
      .waitFor();
    await payload.fill('{"text": "Second."}');
    await dialog(page).getByRole('button', { name: 'Run again' }).click();
    await page.getByText('rerun of').waitFor();
    const [rerun] = (await owner.get('/jobs')).body;
    expect((await owner.get(`/jobs/${rerun.id}`)).body).toMatchObject({ payload: { text: 'Second.' }, rerun_of: id });
  });

  it('is deleted after a confirmation', async () => {
    const owner = await register(api().call);
    const id = await submitJob(owner, 'called', { name: 'gone:1' });
    await finishedJob(owner, id);
    const page = await openPageAs(owner, `/job/${id}`);
    await choose(page, /^Delete job/);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No jobs yet').waitFor();
    expect((await owner.get(`/jobs/${id}`)).status).toBe(404);
  });
});

describe('a job with redacted values', () => {
  it('says why it cannot be retried, and runs again with a complete payload', async () => {
    allow(/status of 409/);
    const owner = await register(api().call);
    await owner.patch('/org/settings', { redact: { payload_keys: ['text'] } });
    const id = await submitJob(owner, 'ai_summarize', { text: 'A secret.' }, { run_at: inAnHour() });
    await owner.post(`/jobs/${id}/cancel`, {});
    const page = await openPageAs(owner, `/job/${id}`);
    await page.getByText('"[redacted]"').waitFor();
    expect(await page.content()).not.toContain('A secret.');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page
      .getByText(/is redacted, so no attempt may start/)
      .first()
      .waitFor();
    await choose(page, /^Run again/);
    await page
      .getByText(/is redacted; send the complete/)
      .first()
      .waitFor();

    await choose(page, /^Edit and run again/);
    const payload = dialog(page).getByRole('textbox', { name: 'Payload' });
    expect(JSON.parse(await payload.inputValue())).toEqual({ text: '[redacted]' });
    const warning = dialog(page).getByText(/shown as \[redacted\] were deleted/);
    await expectAccessibleInEveryLook(page, 'job-redacted', warning);
    await payload.fill('{"text": "Another one."}');
    await warning.waitFor({ state: 'detached' });
    await dialog(page).getByRole('button', { name: 'Run again' }).click();
    await page.getByText('rerun of').waitFor();
    const [rerun] = (await owner.get('/jobs')).body;
    expect((await owner.get(`/jobs/${rerun.id}`)).body.rerun_of).toBe(id);
  });
});

describe('a pending job', () => {
  it('is rescheduled: now, or with an expiry that must be later than its time', async () => {
    allow(/status of 400/);
    const owner = await register(api().call);
    const id = await submitJob(owner, 'called', { name: 'soon:1' }, { run_at: inAnHour() });
    const page = await openPageAs(owner, `/job/${id}`);
    await choose(page, /^Reschedule/);
    await dialog(page).getByLabel('Expires').fill(localTime(30));
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page)
      .getByText(/must be later/i)
      .waitFor();
    await dialog(page).getByLabel('Expires').fill(localTime(120));
    await dialog(page).getByLabel('Priority').fill('12');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page)
      .getByRole('textbox', { name: 'Priority', description: /less than or equal to 9/ })
      .waitFor();
    await dialog(page).getByLabel('Priority').fill('9');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('expires', { exact: true }).waitFor();
    expect((await owner.get(`/jobs/${id}`)).body.expires_at).toMatch(/:00\.000Z$/);

    await choose(page, /^Reschedule/);
    await dialog(page).getByLabel('Not before').fill('');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('main').getByText('Done', { exact: true }).first().waitFor();
    expect(jobs.started).toEqual(['soon:1']);
  });

  it('gets an error in the dialog if it has ended before it is rescheduled', async () => {
    allow(/status of 409/);
    const owner = await register(api().call);
    const id = await submitJob(owner, 'called', { name: 'late:1' }, { run_at: inAnHour() });
    const page = await openPageAs(owner, `/job/${id}`);
    await choose(page, /^Reschedule/);
    await owner.post(`/jobs/${id}/cancel`, {});
    await dialog(page).getByLabel('Priority').fill('3');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).getByRole('alert').waitFor();
  });

  it('says in words what it waits for, and links to what it belongs to', async () => {
    const owner = await register(api().call);
    await owner.put('/org/limits/crm-api', { paused: true });
    const more = { limit: 'crm-api', key: 'customer 7', tags: ['night', 'report'] };
    const id = await submitJob(owner, 'called', { name: 'held:1' }, more);
    await submitJob(owner, 'called', {}, { run_at: inAnHour() });
    const page = await openPageAs(owner, `/job/${id}`);
    const main = page.getByRole('main');
    await main.getByText('waits for', { exact: true }).waitFor();
    await expectAccessibleInEveryLook(page, 'job-waits', main.getByText('waits for', { exact: true }));
    await main.getByRole('link', { name: 'crm-api' }).first().click();
    await page.getByRole('region', { name: 'crm-api' }).waitFor();
    await page.goBack();

    await main.getByRole('link', { name: 'customer 7' }).click();
    await page.getByText('1 job in total').waitFor();
    await page.getByRole('button', { name: 'Remove filter Key' }).click();
    await page.getByText('2 jobs in total').waitFor();
    await page.goto(`/job/${id}`);
    await main.getByRole('link', { name: 'report' }).click();
    await page.getByText('1 job in total').waitFor();
    expect(await page.getByLabel('Tags').inputValue()).toBe('report');
    await owner.patch('/org/limits/crm-api', { paused: false });
    await until('the job to run', () => jobs.started.includes('held:1'));
  });
});

describe('the list of jobs', () => {
  it('is filtered by tags, which the rows show, and counts new jobs that have them', async () => {
    const owner = await register(api().call);
    const run_at = inAnHour();
    await submitJob(owner, 'called', {}, { run_at, tags: ['night', 'report'] });
    await submitJob(owner, 'called', {}, { run_at, tags: ['night'] });
    await submitJob(owner, 'called', {}, { run_at });
    const page = await openPageAs(owner, '/');
    await page.getByText('3 jobs in total').waitFor();
    await page.getByText('night, report').waitFor();
    await page.getByLabel('Tags').fill('night, report');
    await page.keyboard.press('Enter');
    await page.getByText('1 job in total').waitFor();
    expect(new URL(page.url()).searchParams.get('tag')).toBe('night,report');
    await submitJob(owner, 'called', {}, { run_at, tags: ['night'] });
    await submitJob(owner, 'called', {}, { run_at, tags: ['report', 'night', 'more'] });
    await page.getByRole('button', { name: '1 new job' }).waitFor();
    await page.getByLabel('Tags').fill('not#valid');
    await page.keyboard.press('Enter');
    await page.getByText('Enter 1 to 5 tags').waitFor();
    await page.getByLabel('Tags').fill('none');
    await page.keyboard.press('Enter');
    await page.getByText('No jobs with the tag none').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await page.getByText('5 jobs in total').waitFor();
  });

  it('finds the new jobs of a key, which events do not have', async () => {
    const owner = await register(api().call);
    const run_at = inAnHour();
    await submitJob(owner, 'called', {}, { run_at, key: 'customer 1' });
    const page = await openPageAs(owner, '/?key=customer%201');
    await page.getByText('1 job in total').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await submitJob(owner, 'called', {}, { run_at, key: 'customer 2' });
    await submitJob(owner, 'called', {}, { run_at, key: 'customer 1' });
    await page.getByRole('button', { name: '1 new job' }).click();
    await page.getByText('2 jobs in total').waitFor();
  });
});
