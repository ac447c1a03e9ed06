import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Person, register } from '../harness/index.js';
import { rows, type StoredFailure, storeFailures, waiting } from './jobs-support.js';
import { DEFAULT_LOOK, expectAccessibleInEveryLook, screenshot } from './looks.js';
import { passTime } from './page-pool.js';
import { usePages } from './support.js';
import { fail, hold } from './team-support.js';

const { allow, api, openPageAs, world } = usePages();

const groups = (page: Page) =>
  page.getByRole('list', { name: 'Groups of failures, the largest first' }).locator(':scope > li');
const store = (person: Person, failures: readonly StoredFailure[]) => storeFailures(world(), person, failures);

const MANY: readonly StoredFailure[] = [
  ...Array.from({ length: 5 }, (_, n) => ({ message: `The order ${n} does not exist`, hoursAgo: n })),
  { type: 'send_sms', code: 'timeout', message: 'not finished within 60 s', hoursAgo: 3 },
  { type: 'send_sms', code: 'timeout', message: 'not finished within 90 s', hoursAgo: 2 },
  { message: 'another reason' },
];

describe('the view of failures', () => {
  it('groups name their reason, number, times and examples, the largest first', async () => {
    const person = await register(api().call);
    const ids = await store(person, MANY);
    const page = await openPageAs(person, '/');
    await page.getByRole('tab', { name: 'Failures' }).click();
    await groups(page).nth(2).waitFor();
    expect(new URL(page.url()).search).toBe('?view=failures');
    const first = groups(page).first();
    await first.getByText('The order <n> does not exist').waitFor();
    await first.getByText('5', { exact: true }).waitFor();
    await first.getByText('handler_error').first().waitFor();
    await first.getByText('The handler threw an error.').waitFor();
    await first.getByText('4 h ago').waitFor();
    expect(await first.locator('svg rect:not([height="0"])').count()).toBe(1 + 5); // the line, and a bar for each hour
    await groups(page).nth(1).getByText('not finished within <n> s').waitFor();
    await first.getByTitle(String(ids[0])).click();

    await page.waitForURL(`**/job/${ids[0]}`);
    await page.goBack();
    await groups(page).nth(2).waitFor();
  });

  it('only failures in the time range are shown', async () => {
    const person = await register(api().call);
    await store(person, [
      { message: 'hours', hoursAgo: 5 },
      { message: 'days', hoursAgo: 50 },
    ]);
    const page = await openPageAs(person, '/?view=failures&window=1h');
    await page.getByText('No failures in 1 h').waitFor();
    await page.getByRole('radio', { name: '24h' }).click();
    await groups(page).getByText('hours', { exact: true }).waitFor();
    await page.getByRole('radio', { name: '7d' }).click();
    await groups(page).getByText('days', { exact: true }).waitFor();
    expect(await groups(page).count()).toBe(2);
  });

  it('the jobs of a group are shown in the list, without the other filters', async () => {
    const person = await register(api().call);
    await store(person, MANY);
    await waiting(person, 1);
    const page = await openPageAs(person, '/?view=failures&key=other&window=7d');
    await groups(page)
      .nth(1)
      .getByRole('link', { name: /^Show jobs/ })
      .click();
    await rows(page).nth(1).waitFor();
    expect(await rows(page).count()).toBe(2);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      window: '7d',
      status: 'failed',
      type: 'send_sms',
      error_code: 'timeout',
    });
    await page.getByRole('button', { name: 'Remove filter Error code' }).click();
    await page.waitForURL(/^(?!.*error_code)/);
  });

  it('a retry from a group changes exactly its jobs unless the user chooses others, and the list is loaded again at its end', async () => {
    const person = await register(api().call);
    await store(person, MANY);
    await store(person, [{ message: 'The order 9 does not exist', hoursAgo: 40 }]);
    const page = await openPageAs(person, '/?view=failures');
    await groups(page)
      .first()
      .getByRole('button', { name: /^Retry all/ })
      .click();
    const dialog = page.getByRole('alertdialog', { name: 'Retry all jobs that match?' });
    await dialog.getByText('5 jobs match.').waitFor();
    await dialog.getByText('Filter: failed webhook jobs with the error code handler_error').waitFor();
    await dialog.getByRole('radio', { name: /^Also older ones/ }).click();
    await dialog.getByText('6 jobs match.').waitFor();
    await dialog.getByRole('radio', { name: /^Only its latest jobs/ }).click();
    await dialog.getByText('3 jobs match.').waitFor();
    await dialog.getByRole('combobox', { name: 'Pace' }).click();
    await page.getByRole('option', { name: '20 jobs per second' }).click();
    await expectAccessibleInEveryLook(page, 'failure-repair', dialog);
    await dialog.getByRole('radio', { name: /^The jobs of this group/ }).click();
    await dialog.getByRole('button', { name: 'Retry all 5 jobs' }).click();

    await page.getByText('Retried 5 of 5 jobs.').first().waitFor();
    await groups(page).first().getByText('send_sms', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('view')).toBe('failures');
  });

  it('expired jobs are run again, because they cannot be retried', async () => {
    const person = await register(api().call);
    await store(person, [{ type: 'greet', code: 'expired', message: 'no attempt started in time' }]);
    const page = await openPageAs(person, '/?view=failures');
    await groups(page)
      .first()
      .getByRole('button', { name: /^Run all again/ })
      .click();
    await page.getByRole('button', { name: 'Run 1 job again' }).click();

    await page.getByText('Submitted 1 of 1 job again.').first().waitFor();
  });

  it('a number tile leads back to the list', async () => {
    const person = await register(api().call);
    await waiting(person, 1);
    const page = await openPageAs(person, '/?view=failures&status=pending');
    await page.getByText('No failures in 24 h').waitFor();
    await page.getByRole('link', { name: /^Waiting/ }).click();
    await rows(page).first().waitFor();
    expect(new URL(page.url()).search).toBe('?status=pending');
  });

  it('the view shows loading and error states and can retry', async () => {
    allow(/status of 503/);
    const person = await register(api().call);
    await store(person, MANY);
    const page = await openPageAs(person, '/sms', { hasClock: true });
    const release = await hold(page, '**/stats/failures*');
    await page.goto('/?view=failures');
    await page.getByRole('status').getByText('Loading the failures').waitFor({ state: 'attached' });
    release();
    await groups(page).first().waitFor();
    const answer = await hold(page, '**/stats/failures*');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await passTime(page, page.getByText(/^As of .*, retrying failed/));
    answer();
    await fail(page, '**/stats/failures*');
    await page.reload();
    await passTime(page, page.getByRole('alert').getByText('The failures could not be loaded.'));
    await screenshot(page, 'failures-error', DEFAULT_LOOK);
    await page.unroute('**/stats/failures*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await groups(page).first().waitFor();
  });
});

it('the view of failures is accessible in every theme and width: empty, full, and with a question', async () => {
  const person = await register(api().call);
  const page = await openPageAs(person, '/?view=failures');
  await expectAccessibleInEveryLook(page, 'failures-empty', page.getByText('No failures in 24 h'));
  await store(person, MANY);
  const long = { type: 'a.type:with-'.padEnd(128, 'x'), code: 'provider_rejected', message: 'no-space-'.repeat(40) };
  await store(person, [long, { code: 'unknown_effect', message: 'the provider did not answer', hoursAgo: 9 }]);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await groups(page).nth(4).waitFor();
  await expectAccessibleInEveryLook(page, 'failures', groups(page).first());
  await groups(page).last().scrollIntoViewIfNeeded();
  await groups(page)
    .filter({ hasText: 'unknown_effect' })
    .getByRole('button', { name: /^Retry all/ })
    .click();
  await expectAccessibleInEveryLook(page, 'failures-question', page.getByText('1 job matches.'));
});
