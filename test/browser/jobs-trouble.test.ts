import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { register, submitJob, until } from '../harness/index.js';
import { catalogue, endings, isLive, newJobs, row, rows, waiting } from './jobs-support.js';
import { passTime } from './page-pool.js';
import { usePages } from './support.js';

const { allow, api, openPageAs, world } = usePages();

beforeAll(() => world().worker({ catalogue }));

/** Answers requests for these URLs with 503 and counts them, until `stop` is called. */
async function failRequests(page: Page, urls: RegExp) {
  let count = 0;
  allow(/status of 503/);
  await page.route(urls, (route) => {
    count++;
    return route.fulfill({ status: 503, body: '' });
  });
  return { count: () => count, stop: () => page.unroute(urls) };
}

const hasFocus = (page: Page, id: string) =>
  until('the row has the focus', () =>
    page.evaluate(
      (wanted) => document.activeElement?.closest<HTMLElement>('[data-row-id]')?.dataset.rowId === wanted,
      id,
    ),
  );

describe('errors of the job list', () => {
  it('a failed request for older jobs shows an error and can be repeated', async () => {
    const person = await register(api().call);
    await waiting(person, 130);
    const page = await openPageAs(person, '/');
    await page.getByText('100 jobs shown').waitFor();
    const outage = await failRequests(page, /\/jobs\?.*cursor/);
    await page.getByRole('button', { name: 'Load 100 older' }).click();
    await page.getByRole('alert').getByText('Older entries could not be loaded.').waitFor();
    await outage.stop();
    await page.getByRole('button', { name: 'Load 100 older' }).click();

    const all = page.getByText('130 jobs in total');
    await all.waitFor();
    await until('the text has the focus that the button had', () =>
      all.evaluate((text) => text === document.activeElement),
    );
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('a failed refetch keeps the rows and offers a retry', async () => {
    const person = await register(api().call);
    await waiting(person, 1);
    const page = await openPageAs(person, '/', { hasClock: true });
    await isLive(page);
    await rows(page).first().waitFor();
    const outage = await failRequests(page, /\/(jobs\?|stats\/)/);
    const [id = ''] = await waiting(person, 1);
    await newJobs(page, 1).click();
    await passTime(page, page.getByText(/^As of .*, retrying failed\.$/));
    await passTime(page, page.getByText(/^Statistics as of .*, retrying$/));
    await outage.stop();
    await page.getByRole('button', { name: 'Try again' }).click();

    await row(page, id).waitFor();
    await until('the list and the statistics are up to date', async () => {
      await page.clock.fastForward(1_000); // the statistics are refetched automatically
      return (await page.getByText('As of').count()) === 0;
    });
  });

  it('an empty list is not refetched repeatedly after a failure', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/', { hasClock: true });
    await isLive(page);
    await page.getByRole('button', { name: 'Run a sample job' }).waitFor();
    const outage = await failRequests(page, /\/jobs\?.*limit/);
    await waiting(person, 1);
    await passTime(page, page.getByText(/retrying failed/));
    const asked = outage.count();
    await waiting(person, 1); // its event arrives after any refetch that the failure would have caused
    await passTime(page, page.getByRole('link', { name: /^Waiting\s*2/ })); // the statistics contain both

    expect(outage.count()).toBe(asked);
  });

  it('the list is not shown as empty while it loads', async () => {
    const person = await register(api().call);
    await waiting(person, 1);
    const page = await openPageAs(person, '/?status=failed');
    await page.getByText('No failed jobs').waitFor();
    await page.getByRole('link', { name: /^Waiting\s*1/ }).waitFor(); // the statistics
    let answer: () => void = () => undefined;
    const isHeld = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/\/(jobs|stats\/jobs)\?/, async (route) => {
      await isHeld;
      await route.continue();
    });
    await page.getByRole('link', { name: /^Waiting/ }).click();
    await page.getByText('Loading Jobs, newest first').waitFor({ state: 'attached' });
    expect(await page.getByText('No waiting jobs').count()).toBe(0);
    await page.getByRole('link', { name: /^Waiting/ }).click();
    await page.getByRole('radio', { name: '7d' }).click();
    await page.waitForURL(/window=7d/);
    expect(await page.getByRole('button', { name: 'Run a sample job' }).count()).toBe(0);
    await page.getByRole('link', { name: /^Done.*in 24 h/ }).waitFor();
    answer();

    await rows(page).first().getByText('greet', { exact: true }).waitFor();
    await page.getByRole('link', { name: /^Done.*in 7 d/ }).waitFor();
  });
});

it('canceling a running job shows that the cancel was requested', async () => {
  const person = await register(api().call);
  const id = await submitJob(person, 'endless', { name: 'stopped' });
  const page = await openPageAs(person, '/');
  await row(page, id).getByText('Running').waitFor();
  await row(page, id)
    .getByRole('button', { name: /^Actions/ })
    .click();
  await page.getByRole('menuitem', { name: 'Cancel' }).click();

  await page.getByText('Cancel requested').first().waitFor();
  endings.get('stopped')?.();
});

describe('the focus in the job list', () => {
  it('the focus moves to a row when the pressed button disappears', async () => {
    const person = await register(api().call);
    const [old = ''] = await waiting(person, 1);
    const page = await openPageAs(person, '/');
    await isLive(page);
    await row(page, old).waitFor();
    const [fresh = ''] = await waiting(person, 1, { type: 'other' });
    await newJobs(page, 1).press('Enter');
    await hasFocus(page, fresh);

    await row(page, old).getByRole('checkbox').press('Space');
    await page.getByRole('button', { name: 'Clear selection' }).press('Enter');
    await hasFocus(page, old);

    await row(page, old).getByRole('checkbox').press('Space');
    await page.getByRole('button', { name: 'Cancel 1' }).press('Enter');
    await row(page, old).getByText('Failed').waitFor();
    await hasFocus(page, old);

    await page.goto('/?type=other');
    await row(page, fresh).waitFor(); // without rows, the list itself gets the focus
    await page.getByRole('button', { name: 'Clear filters' }).press('Enter');
    await hasFocus(page, fresh);
  });

  it('the focus moves to the first job when it replaces the button for a sample job', async () => {
    const page = await openPageAs(await register(api().call), '/');
    await isLive(page);
    await page.getByRole('button', { name: 'Run a sample job' }).press('Enter');
    await rows(page).first().waitFor();

    await hasFocus(page, (await rows(page).first().getAttribute('data-row-id')) ?? '');
  });
});
