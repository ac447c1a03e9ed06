import { expect, it } from 'vitest';
import { finishedJob, submitJob } from '../harness/index.js';
import { useJobPages } from './job-support.js';
import { expectAccessibleInEveryLook } from './looks.js';

const { openJob, person, resume } = useJobPages();

const WAITERS = 22;

it('the page of a job shows what it waits for and what waits for it, and its failure names the job to retry', async () => {
  const ids = Array.from({ length: WAITERS }, (_, n) => `notify-${n}`);
  await submitJob(person(), 'fails_first', { fails: 1 }, { id: 'reserve-stock' });
  await finishedJob(person(), 'reserve-stock');
  const answer = await person().post('/jobs/batch', {
    jobs: [
      { id: 'charge-card', type: 'in_steps', payload: {} },
      {
        id: 'send-invoice-of-order-1001-to-the-customer-in-nairobi',
        type: 'in_steps',
        payload: {},
        after: ['charge-card', { id: 'reserve-stock', when: 'ended' }],
      },
      ...ids.map((id) => ({ id, type: 'in_steps', payload: {}, after: ['charge-card'] })),
      { id: 'ship', type: 'in_steps', payload: {}, after: ['reserve-stock'] },
    ],
  });
  expect(answer.status, answer.text).toBe(202);

  const page = await openJob('send-invoice-of-order-1001-to-the-customer-in-nairobi');
  const thread = page.getByRole('region', { name: 'Jobs before and after' });
  const before = thread.getByRole('listitem');
  await before.nth(1).waitFor();
  expect(await before.allInnerTexts()).toEqual([
    expect.stringMatching(/^charge-card\s+when it is done\s+Waiting$/),
    expect.stringMatching(/^reserve-stock\s+when it is done or failed\s+Met$/),
  ]);
  await page.getByText('waits for').locator('..').getByRole('link', { name: 'charge-card' }).waitFor();
  await expectAccessibleInEveryLook(page, 'job-thread-before', thread);

  await before.nth(0).getByRole('link').focus();
  await page.keyboard.press('Enter');
  await thread.getByRole('heading', { name: 'Start after this job' }).waitFor();
  expect(await thread.getByRole('listitem').count()).toBe(21);
  await expectAccessibleInEveryLook(page, 'job-thread-after', thread);
  await thread.getByRole('link', { name: 'All jobs that start after this job' }).click();
  await page.getByRole('button', { name: /Starts after/ }).waitFor();
  expect(new URL(page.url()).searchParams.get('after')).toBe('charge-card');
  await page.getByRole('table', { name: 'Jobs, newest first' }).getByText('notify-0', { exact: true }).waitFor();

  const failed = await openJob('ship');
  const advice = failed.getByText('dependency_failed').locator('..');
  await advice.getByRole('link', { name: 'reserve-stock' }).waitFor();
  await expectAccessibleInEveryLook(failed, 'job-thread-failed', advice);
  await advice.getByRole('link', { name: 'reserve-stock' }).click();
  await failed.getByRole('button', { name: 'Retry' }).click();
  resume();
  await failed.getByRole('region', { name: 'Jobs before and after' }).getByText('Done').nth(1).waitFor();
});
