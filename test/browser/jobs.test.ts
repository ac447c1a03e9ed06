import { beforeAll, describe, expect, it } from 'vitest';
import { finishedJob, register, submitJob, until } from '../harness/index.js';
import { catalogue, endings, isLive, newJobs, row, rows, shaky, waiting } from './jobs-support.js';
import { expectAccessibleInEveryLook, screenshotEveryLook } from './looks.js';
import { passTime } from './page-pool.js';
import { usePages } from './support.js';

const { allow, api, openPageAs, world } = usePages();

beforeAll(() => world().worker({ catalogue }));

describe('new jobs', () => {
  it('new jobs are counted and move nothing while a row is hovered and two rows are selected', async () => {
    const person = await register(api().call);
    await waiting(person, 8);
    const page = await openPageAs(person, '/', { hasClock: true });
    await isLive(page);
    await rows(page).nth(2).getByRole('checkbox').click();
    await rows(page).nth(4).getByRole('checkbox').click();
    await rows(page).nth(3).hover();
    const positions = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('h1, [aria-label="Jobs by status"] a, figure, [data-row-id]')].map((element) => {
          const { x, y, width, height } = element.getBoundingClientRect();
          return [element.getAttribute('data-row-id'), x, y, width, height];
        }),
      );
    const before = await positions();

    const ids = await waiting(person, 50);
    await page.getByRole('button', { name: '50 new jobs' }).waitFor();
    await passTime(page, page.getByLabel('Jobs by status').getByText('58').first());
    expect(await positions()).toEqual(before);
    await page.getByText('2 selected').first().waitFor();

    await page.keyboard.press('.');
    await until('the new jobs are shown', async () => (await rows(page).count()) === 58);
    expect(new Set(await rows(page).evaluateAll((all) => all.slice(0, 50).map((one) => one.dataset.rowId)))).toEqual(
      new Set(ids),
    );
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(2);
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Selection' }).waitFor({ state: 'detached' });
  });

  it('new jobs that do not match the filter are not counted', async () => {
    const person = await register(api().call);
    await waiting(person, 1);
    const page = await openPageAs(person, '/?type=greet');
    await isLive(page);
    await waiting(person, 3, { type: 'other' });
    await waiting(person, 1);

    await newJobs(page, 1).waitFor();
  });

  it('new jobs are found by polling if the stream is not available', async () => {
    const person = await register(api().call);
    await waiting(person, 1);
    allow(/status of 503/);
    const page = await openPageAs(person, '/email', { hasClock: true });
    await page.route('**/jobs/events', (route) => route.fulfill({ status: 503, body: '' }));
    await page.goto('/');
    await passTime(page, page.getByRole('status').getByText('Polling'));
    await waiting(person, 2);

    await passTime(page, page.getByRole('button', { name: '2 new jobs' }));
  });
});

describe('the filters of the job list', () => {
  it('the filters are in the URL: tiles set them, and the browser history restores them', async () => {
    const person = await register(api().call);
    await waiting(person, 2);
    const done = await submitJob(person, 'ai_summarize', { text: 'One. Two.' });
    await finishedJob(person, done);
    const page = await openPageAs(person, '/');
    await rows(page).nth(2).waitFor();
    await page.getByRole('link', { name: /^Done/ }).click();
    await until('one job is shown', async () => (await rows(page).count()) === 1);
    expect(new URL(page.url()).search).toBe('?status=done');
    expect(await page.getByRole('link', { name: /^Done/ }).getAttribute('aria-current')).not.toBeNull();

    await page.getByRole('link', { name: /^Failed/ }).click();
    await page.getByText('No failed jobs').waitFor();
    await page.goBack();
    await row(page, done).waitFor();
    await page.goBack();
    await until('all jobs are shown again', async () => (await rows(page).count()) === 3);

    await page.getByRole('radio', { name: '7d' }).click();
    await page.getByRole('link', { name: /^Done.*in 7 d/ }).waitFor();
    expect(new URL(page.url()).search).toBe('?window=7d');
  });

  it('the way back from a job leads to its row, in the list as it was left', async () => {
    const person = await register(api().call);
    const ids = await waiting(person, 40);
    const page = await openPageAs(person, '/?status=pending');
    const link = row(page, String(ids[2])).getByRole('link');
    // A click in the frame in which the page scrolls would come before its position is stored.
    await link.scrollIntoViewIfNeeded();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await link.click();
    // The page of the job has it, and the list has not.
    const back = page.getByRole('main').getByRole('link', { name: 'Jobs', exact: true });
    await back.waitFor();
    await page.goBack();
    await until('the row to have the focus', () => link.evaluate((element) => element === document.activeElement));
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(0);

    await link.click();
    await back.click();

    await page.waitForURL('**/?status=pending');
    await until('the row to have the focus', () => link.evaluate((element) => element === document.activeElement));
  });

  it('the filters accept a custom type and a time in the user’s time zone, and can be cleared together', async () => {
    const person = await register(api().call);
    const [old] = await waiting(person, 1, { type: 'my.type' });
    await waiting(person, 1);
    const page = await openPageAs(person, '/');
    await page.getByRole('combobox', { name: 'Type' }).fill('my.type');
    await page.keyboard.press('Enter');
    await until('one job is shown', async () => (await rows(page).count()) === 1);
    await row(page, String(old)).waitFor();

    await page.getByRole('button', { name: /^Created/ }).click();
    const created = page.getByRole('dialog', { name: 'Created' });
    await created.getByText('GMT+3 · Africa/Nairobi').first().waitFor();
    await created.getByLabel('Before').fill('2020-01-01T03:00');
    await created.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('No my.type jobs in this period').waitFor();
    expect(new URL(page.url()).searchParams.get('created_before')).toBe('2020-01-01T00:00:00.000Z');

    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await until('all jobs are shown again', async () => (await rows(page).count()) === 2);
    expect(new URL(page.url()).search).toBe('');
  });

  it('a job can be opened by its ID, and an invalid ID is rejected', async () => {
    const person = await register(api().call);
    const [id] = await waiting(person, 1);
    const page = await openPageAs(person, '/');
    await page.getByLabel('Open by ID').fill('not/an/id');
    await page.keyboard.press('Enter');
    await page.getByText('This is not a valid job ID.').waitFor();
    await page.getByLabel('Open by ID').fill(String(id));
    await page.keyboard.press('Enter');

    await page.waitForURL(`**/job/${id}`);
  });

  it('older jobs are appended to the list', async () => {
    const person = await register(api().call);
    await waiting(person, 130);
    const page = await openPageAs(person, '/');
    await page.getByText('100 jobs shown').waitFor();
    await page.getByRole('button', { name: 'Load 100 older' }).click();

    await page.getByText('130 jobs in total').waitFor();
    expect(await rows(page).count()).toBe(130);
  });
});

describe('bulk actions', () => {
  it('several jobs are retried together, and jobs that changed meanwhile are reported separately', async () => {
    const person = await register(api().call);
    shaky.fails = true;
    const ids = await Promise.all(Array.from({ length: 3 }, () => submitJob(person, 'shaky', {})));
    await Promise.all(ids.map((id) => finishedJob(person, id)));
    const page = await openPageAs(person, '/?status=failed');
    await rows(page).nth(2).waitFor();
    await page.getByRole('checkbox', { name: 'Select all rows shown' }).click();
    const bar = page.getByRole('region', { name: 'Selection' });
    await bar.getByText('3 selected').waitFor();
    expect(await bar.getByRole('button', { name: /^Cancel/ }).count()).toBe(0);

    // One of the jobs has changed before this page knows it.
    await page.route(`**/jobs/${ids[0]}/retry`, (route) =>
      route.fulfill({
        status: 409,
        contentType: 'application/json',
        body: JSON.stringify({ error: { code: 'conflict', message: 'It has not failed.', request_id: 'x' } }),
      }),
    );
    shaky.fails = false;
    await bar.getByRole('button', { name: 'Retry 3' }).click();
    await page.getByText('2 retried, 1 had already changed').first().waitFor();
    await until('the jobs are done in place', async () => (await rows(page).getByText('Done').count()) === 2);
    expect(await rows(page).count()).toBe(3);
    await bar.waitFor({ state: 'detached' });
  });

  it('a bulk action on more than ten jobs needs a confirmation', async () => {
    const person = await register(api().call);
    await waiting(person, 11);
    const page = await openPageAs(person, '/');
    await rows(page).nth(10).waitFor();
    await page.getByRole('checkbox', { name: 'Select all rows shown' }).click();
    await page.getByRole('button', { name: 'Cancel 11' }).click();
    await page
      .getByRole('alertdialog', { name: 'Cancel 11 jobs?' })
      .getByRole('button', { name: /^Cancel 11/ })
      .click();

    await page.getByText('11 canceled').first().waitFor();
    await until('all have failed', async () => (await rows(page).getByText('Failed').count()) === 11);
  });

  it('jobs are selected, retried and opened with the keyboard only', async () => {
    const person = await register(api().call);
    shaky.fails = true;
    const id = await submitJob(person, 'shaky', {});
    await finishedJob(person, id);
    await waiting(person, 1);
    const page = await openPageAs(person, '/');
    await isLive(page);
    await rows(page).nth(1).waitFor();
    shaky.fails = false;
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 selected').first().waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    await row(page, id).getByText('Done').waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');

    await page.waitForURL(`**/job/${id}`);
  });
});

describe('an outage of the API', () => {
  it('data that cannot be loaded is replaced by an error with a retry button', async () => {
    const person = await register(api().call);
    await waiting(person, 1);
    allow(/status of 500/);
    const page = await openPageAs(person, '/email', { hasClock: true });
    const failure = { error: { code: 'internal', message: 'Something failed here.', request_id: 'req-1' } };
    const broken = { status: 500, contentType: 'application/json', headers: { 'X-Request-Id': 'req-1' } };
    await page.route(/\/(jobs\?|stats\/)/, (route) => route.fulfill({ ...broken, body: JSON.stringify(failure) }));
    await page.goto('/');
    await passTime(page, page.getByText('The jobs could not be loaded. Something failed here.'));
    await passTime(page, page.getByText('The statistics could not be loaded.'));
    expect(await page.getByText('req-1').count()).toBe(2);

    await page.unroute(/\/(jobs\?|stats\/)/);
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByRole('link', { name: /^Waiting\s*1/ }).waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await rows(page).first().waitFor();
  });
});

it('the jobs page is accessible in every theme and width: empty, full, with a selection and with a new job', async () => {
  const person = await register(api().call);
  const page = await openPageAs(person, '/');
  await page.waitForLoadState('load');
  await expectAccessibleInEveryLook(page, 'jobs-empty', page.getByRole('button', { name: 'Run a sample job' }));

  shaky.fails = true;
  const failing = Array.from({ length: 3 }, () => submitJob(person, 'shaky', {}));
  const long = submitJob(person, 'a.type:with-'.padEnd(128, 'x'), {}, { id: 'an-id-'.padEnd(128, 'y') });
  const ids = await Promise.all([...failing, long, submitJob(person, 'ai_summarize', { text: 'One. Two.' })]);
  await Promise.all(ids.map((id) => finishedJob(person, id)));
  await submitJob(person, 'endless', { name: 'themes' });
  await waiting(person, 12, { type: 'send_sms', payload: { to: '+254700000001', message: 'Hello' }, max_retries: 3 });
  await page.reload();
  await page.getByRole('link', { name: /^Running\s*1/ }).waitFor();
  await page.locator('[data-row-id]').nth(12).waitFor();
  await expectAccessibleInEveryLook(page, 'jobs', page.locator('.recharts-bar-rectangle').first());
  await page.locator('[data-row-id]').nth(1).getByRole('checkbox').click();
  await page.locator('[data-row-id]').nth(3).getByRole('checkbox').click();
  await expectAccessibleInEveryLook(page, 'jobs-selected', page.getByText('2 selected').first());

  await page.goto('/?status=failed&type=nothing');
  await screenshotEveryLook(page, 'jobs-none', page.getByText('No failed nothing jobs'));
  await page.goto('/?new=1');
  await expectAccessibleInEveryLook(page, 'jobs-new', page.getByRole('dialog', { name: 'New job' }));
  endings.get('themes')?.();
});
