import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newKey } from '../api/support.js';
import { type Person, register, until } from '../harness/index.js';
import { row, rows, storeFailures, waiting } from './jobs-support.js';
import { expectAccessibleInEveryLook } from './looks.js';
import { passTime } from './page-pool.js';
import { usePages } from './support.js';
import { fail } from './team-support.js';

const { allow, api, memberOf, openPageAs, world } = usePages();

const dialog = (page: Page) => page.getByRole('alertdialog');
const strip = (page: Page) => page.getByRole('region', { name: 'Bulk action' });
const bulkOf = (page: Page) => new URL(page.url()).searchParams.get('bulk');

async function choose(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: 'Change all that match' }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Presses the button while responses are lost: the action starts, and the dialog shows an error. */
async function startWithoutResponse(page: Page, start: Locator): Promise<void> {
  await page.route('**/jobs/bulk', async (route) => {
    await route.fetch();
    await route.fulfill({ status: 503, body: '' });
  });
  await start.click();
  await dialog(page).getByRole('alert').waitFor();
  await page.unroute('**/jobs/bulk');
}

/** Starts an action that changes one job per second. */
async function startSlow(person: Person, filter: object = { status: 'pending' }): Promise<string> {
  const answer = await person.post('/jobs/bulk', { action: 'cancel', filter, per_second: 1 });
  expect(answer.status, answer.text).toBe(202);
  return answer.body.id;
}

describe('the start of a bulk action', () => {
  it('the jobs that match are counted first, and the result names those that were skipped', async () => {
    const person = await register(api().call);
    const failed = await storeFailures(world(), person, [{ type: 'greet' }, { type: 'greet' }, { type: 'greet' }]);
    await storeFailures(world(), person, [{}]);
    await waiting(person, 1);
    const page = await openPageAs(person, '/?type=greet');
    await rows(page).nth(3).waitFor();
    await choose(page, 'Retry');
    await dialog(page).getByText('4 jobs match.').waitFor();
    await dialog(page).getByText('Filter: greet jobs').waitFor();
    await dialog(page)
      .getByText(/Other jobs, and jobs that have expired, are skipped/)
      .waitFor();
    await dialog(page).getByRole('button', { name: 'Retry all 4 jobs' }).click();

    await strip(page).getByText('Retried 3 of 4 jobs, 1 skipped.').waitFor();
    await page.getByRole('status').getByText('Retried 3 of 4 jobs, 1 skipped.').waitFor({ state: 'attached' });
    await row(page, String(failed[0])).getByText('Pending').waitFor();
    const [bulk] = (await person.get('/jobs/bulk')).body;
    expect(bulk).toMatchObject({ id: bulkOf(page), action: 'retry', filter: { type: 'greet' }, done: 3 });
    await strip(page).getByRole('button', { name: 'Dismiss' }).click();
    await strip(page).waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?type=greet');
  });

  it('every filter of the list is a filter of the action', async () => {
    const person = await register(api().call);
    await storeFailures(world(), person, [{ code: 'timeout' }]);
    const since = '2020-01-01T00:00:00.000Z';
    const search = `status=failed&type=webhook&error_code=timeout&tag=a%2Cb&key=k&created_after=${since}`;
    const page = await openPageAs(person, `/?${search}`);
    await page.getByText('No failed webhook jobs with the error code timeout with the tags a, b').waitFor();
    await choose(page, 'Delete');
    await dialog(page).getByText('No jobs match.').waitFor();
    const start = dialog(page).getByRole('button', { name: 'Delete all jobs' });
    expect(await start.getAttribute('aria-disabled')).toBe('true');
    await dialog(page).getByRole('button', { name: 'Keep as is' }).click();
    await page.getByRole('button', { name: 'Remove filter Key' }).click();
    await page.getByRole('searchbox', { name: 'Tags' }).fill('');
    await rows(page).first().waitFor();
    await choose(page, 'Delete');
    await dialog(page).getByRole('button', { name: 'Delete 1 job' }).click();

    await strip(page).getByText('Deleted 1 of 1 job.').waitFor();
    await page.getByText('No failed webhook jobs with the error code timeout').waitFor();
    const [bulk] = (await person.get('/jobs/bulk')).body;
    expect(bulk.filter).toEqual({ status: 'failed', type: 'webhook', error_code: 'timeout', created_after: since });
  });

  it('only actions that the status allows are offered, and none without a filter', async () => {
    const person = await register(api().call);
    await waiting(person, 1);
    const page = await openPageAs(person, '/');
    await rows(page).first().waitFor();
    expect(await page.getByRole('button', { name: 'Change all that match' }).count()).toBe(0);
    for (const [search, names] of [
      ['status=pending', ['Cancel…']],
      ['status=done', ['Run again…', 'Delete…']],
      ['error_code=timeout', ['Retry…', 'Run again…', 'Delete…']],
      ['type=greet', ['Retry…', 'Cancel…', 'Run again…', 'Delete…']],
    ] as const) {
      await page.goto(`/?${search}`);
      await page.getByRole('button', { name: 'Change all that match' }).click();
      expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(names);
    }
  });

  it('a retry of calls that may have succeeded shows a warning', async () => {
    const person = await register(api().call);
    await storeFailures(world(), person, [{ code: 'unknown_effect' }, { code: 'timeout' }]);
    const page = await openPageAs(person, '/?error_code=unknown_effect');
    await choose(page, 'Retry');
    await dialog(page).getByText('A retry does these calls twice.').waitFor();
    await dialog(page).getByText('1 job matches.').waitFor();
    await page.goto('/?error_code=timeout');
    await choose(page, 'Retry');
    await dialog(page).getByText('1 job matches.').waitFor();
    expect(await dialog(page).getByText('twice').count()).toBe(0);
  });

  it('a repeated start after a lost response starts one action', async () => {
    allow(/status of 503/);
    const person = await register(api().call);
    await waiting(person, 2);
    const page = await openPageAs(person, '/?status=pending');
    await choose(page, 'Cancel');
    const start = dialog(page).getByRole('button', { name: 'Cancel all 2 jobs' });
    await start.waitFor();
    await startWithoutResponse(page, start);
    await start.click();

    await strip(page).getByText('Canceled 2 of 2 jobs.').waitFor();
    expect((await person.get('/jobs/bulk')).body).toHaveLength(1);
  });

  it('a repeated start of a deletion that has ended meanwhile removes the rows', async () => {
    allow(/status of 503/);
    const person = await register(api().call);
    await storeFailures(world(), person, [{}, {}]);
    const page = await openPageAs(person, '/?status=failed');
    await rows(page).first().waitFor();
    await choose(page, 'Delete');
    const start = dialog(page).getByRole('button', { name: 'Delete all 2 jobs' });
    await start.waitFor();
    await startWithoutResponse(page, start);
    await until('the action to end', async () => (await person.get('/jobs/bulk')).body[0].status === 'done');
    await start.click();

    await page.getByText('No failed jobs').waitFor();
  });

  it('a filter that the API rejects is explained in the dialog', async () => {
    allow(/status of 400/);
    const page = await openPageAs(await register(api().call), '/?key=a%01');
    await choose(page, 'Delete');
    await dialog(page).getByRole('alert').getByText('The request is invalid').waitFor();
    await dialog(page).getByRole('button', { name: 'Keep as is' }).click();
    await dialog(page).waitFor({ state: 'detached' });
  });

  it('an error of the count or of the start is shown in the dialog', async () => {
    allow(/status of (409|503)/);
    const person = await register(api().call);
    const ids = await waiting(person, 21);
    const page = await openPageAs(person, '/?status=pending', { hasClock: true });
    await fail(page, '**/jobs/bulk', 'POST');
    await choose(page, 'Cancel');
    await passTime(page, dialog(page).getByRole('alert').getByText('Postgres is unavailable'));
    await page.unroute('**/jobs/bulk');
    await dialog(page).getByRole('button', { name: 'Count again' }).click();
    const start = dialog(page).getByRole('button', { name: 'Cancel all 21 jobs' });
    await start.waitFor();
    const slow = await Promise.all(Array.from({ length: 20 }, () => startSlow(person, { ids })));
    await start.click();
    await dialog(page).getByRole('alert').getByText('20 bulk actions of your organization are running').waitFor();
    for (const id of slow) await person.post(`/jobs/bulk/${id}/stop`);
    await start.click();

    await passTime(page, strip(page).getByText(/^Canceled \d+ of \d+ jobs/));
  });
});

describe('the progress of a bulk action', () => {
  it('the progress is shown again after a reload, and the action can be stopped', async () => {
    const person = await register(api().call);
    await waiting(person, 300);
    const page = await openPageAs(person, `/?status=pending&bulk=${await startSlow(person)}`);
    const bar = strip(page).getByRole('progressbar', { name: 'Canceling 300 jobs' });
    const progress = async () => Number(await bar.getAttribute('aria-valuenow'));
    await until('the first job is canceled', async () => (await progress()) > 0);
    expect(await bar.getAttribute('aria-valuemax')).toBe('300');
    await page.reload();
    await bar.waitFor();
    expect(await progress()).toBeGreaterThan(0);
    await strip(page).getByRole('button', { name: 'Stop' }).click();

    await strip(page)
      .getByText(/^Canceled \d+ of 300 jobs\. The action was stopped\.$/)
      .waitFor();
    const [bulk] = (await person.get('/jobs/bulk')).body;
    expect(bulk.status).toBe('stopped');
    await page.reload();
    await strip(page).getByRole('button', { name: 'Dismiss' }).press('Enter');
    await until('the heading has the focus', () => page.evaluate(() => document.activeElement?.tagName === 'H1'));
  });

  it('a stop that comes too late says so, and the result is shown', async () => {
    allow(/status of 409/);
    const person = await register(api().call);
    await waiting(person, 1);
    const id = await startSlow(person);
    const url = `**/jobs/bulk/${id}`;
    const page = await openPageAs(person, '/');
    let isBehind = true;
    await page.route(url, async (route) => {
      const response = await route.fetch();
      const bulk = await response.json();
      await route.fulfill({ response, json: isBehind ? { ...bulk, status: 'running', done: 0 } : bulk });
    });
    await page.goto(`/?bulk=${id}`);
    await until('the action has finished', async () => (await person.get(`/jobs/bulk/${id}`)).body.status === 'done');
    await strip(page).getByRole('button', { name: 'Stop' }).click();
    await page.getByText('The bulk action has finished already.').first().waitFor();
    isBehind = false;

    await strip(page).getByText('Canceled 1 of 1 job.').waitFor();
  });

  it('an action that cannot be loaded is explained and can be dismissed', async () => {
    allow(/status of 404/);
    const person = await register(api().call);
    const page = await openPageAs(person, '/?bulk=0198c5a0-1111-7000-8000-00000000000a');
    await page.getByText('This bulk action does not exist.').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('This bulk action does not exist.').waitFor({ state: 'detached' });
  });
});

describe('the list of bulk actions', () => {
  it('shows what was done by whom and how far, opens the jobs that match, and stops what runs', async () => {
    const person = await register(api().call);
    await storeFailures(world(), person, [{ type: 'greet' }, { type: 'greet' }]);
    const filter = { status: 'failed', type: 'greet', error_code: 'handler_error' };
    const ended = (await person.post('/jobs/bulk', { action: 'rerun', filter })).body;
    await until('its end', async () => (await person.get(`/jobs/bulk/${ended.id}`)).body.status === 'done');
    await waiting(person, 300);
    const { key } = await newKey(person);
    const slow = { action: 'cancel', filter: { status: 'pending' }, per_second: 1 };
    await api().call('POST', '/jobs/bulk', { key, body: slow });
    const page = await openPageAs(person, '/?view=bulk');

    const running = page.getByRole('row', { name: /^Cancel pending jobs .*API key/ });
    await running.getByText(/^Running: \d+ of 302 jobs$/).waitFor();
    await page
      .getByRole('row', {
        name: /^Run failed greet jobs with the error code handler_error again Submitted 2 of 2 jobs again\. .* You/,
      })
      .waitFor();
    await expectAccessibleInEveryLook(page, 'bulk-list', page.getByText('Submitted 2 of 2 jobs again.'));
    await running.getByRole('button', { name: 'Stop: Cancel pending jobs' }).click();
    await running.getByText(/The action was stopped\.$/).waitFor();
    await page.getByRole('link', { name: /^Run failed greet jobs/ }).click();
    await rows(page).nth(1).waitFor();
    expect(new URL(page.url()).search).toBe('?status=failed&type=greet&error_code=handler_error');

    const member = await openPageAs(await memberOf(person), '/?view=bulk');
    await member.getByRole('row', { name: /An API key/ }).waitFor();
    await member.getByRole('row', { name: /A member/ }).waitFor();
  });
});

it('bulk actions are accessible in every theme and width: the question, the progress and the result', async () => {
  allow(/status of 404/);
  const person = await register(api().call);
  await storeFailures(world(), person, [{}, {}, {}]);
  await waiting(person, 300);
  const page = await openPageAs(person, '/?type=webhook&status=failed&error_code=handler_error');
  await rows(page).nth(2).waitFor();
  const button = page.getByRole('button', { name: 'Change all that match' });
  await expectAccessibleInEveryLook(page, 'bulk-filter', button);
  await choose(page, 'Retry');
  await expectAccessibleInEveryLook(page, 'bulk-question', dialog(page).getByText('3 jobs match.'));
  await page.goto(`/?status=failed&type=webhook&bulk=${await startSlow(person)}`);
  await expectAccessibleInEveryLook(page, 'bulk-progress', strip(page).getByRole('progressbar'));
  await strip(page).getByRole('button', { name: 'Stop' }).click();
  await expectAccessibleInEveryLook(page, 'bulk-stopped', strip(page).getByText('The action was stopped.'));
  await page.goto('/?status=done&bulk=0198c5a0-1111-7000-8000-00000000000a');
  await expectAccessibleInEveryLook(page, 'bulk-gone', page.getByText('This bulk action does not exist.'));
});
