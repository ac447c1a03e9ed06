import { expect, it } from 'vitest';
import { finishedJob, submitJob, until } from '../harness/index.js';
import { useJobPages } from './job-support.js';
import { expectAccessibleInEveryLook } from './looks.js';
import { passTime } from './page-pool.js';

const { memberOf, openJob, openPageAs, person, resume, world } = useJobPages();

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
  const thread = page.getByRole('region', { name: 'Related' });
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
  await thread.getByText('Start after it').waitFor();
  expect(await thread.getByRole('listitem').count()).toBe(11);
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
  await failed.getByRole('region', { name: 'Related' }).getByText('Done', { exact: true }).nth(1).waitFor();
});

it('a job whose email bounces is no longer shown as done, and leads to the message, while its page is open', async () => {
  const email = { to: 'ada@example.com', cc: ['bob@example.com'], subject: 'Your order', body: 'It is on its way.' };
  const id = await submitJob(person(), 'send_email', email);
  await finishedJob(person(), id);
  const page = await openPageAs(person(), `/job/${id}`, { hasClock: true });
  const main = page.getByRole('main');
  await main.getByText('Done', { exact: true }).waitFor();
  const [first] = (await person().get(`/jobs/${id}`)).body.messages;
  const reason = `550 5.1.1 The email account that you tried to reach does not exist. ${'Check the address. '.repeat(60)}`;
  const report = { status: 'bounced', errorCode: 'bounced', errorMessage: reason } as const;
  await world().db.message.update({ where: { id: first.id }, data: report });

  const header = main.getByRole('link', { name: 'Done · bounced: 1 of 2' });
  await passTime(page, header);
  expect(await main.getByText('Done', { exact: true }).count()).toBe(0);
  await main.getByText(/^550 5\.1\.1 The email account/).waitFor();
  await main.getByText('The address is suppressed now.').waitFor();
  await expectAccessibleInEveryLook(page, 'job-bounced', header);
  await main.getByRole('button', { name: 'Show the whole message' }).click();
  await main.getByRole('link', { name: 'Open the message' }).click();
  await page.getByRole('article', { name: 'Email' }).getByText('ada@example.com').first().waitFor();
  expect(new URL(page.url()).searchParams.get('id')).toBe(first.id);

  await world().db.message.update({ where: { id: first.id }, data: { status: 'delivered', errorCode: null } });
  await page.goto(`/job/${id}`);
  await main.getByText('Done', { exact: true }).waitFor();
});

it('the page of a job leads to all that belongs to it, and loads deliveries and reruns only when they are opened', async () => {
  const owner = person();
  const made = async (path: string, body: object) => {
    const answer = await owner.post(path, body);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  await made('/org/templates', { name: 'order-sent', kind: 'email', subject: 'Hello', body: 'Sent.' });
  await owner.put('/org/limits/mail', { concurrency: 5 });
  await made('/org/webhooks', { url: 'https://shop.example.com/events', events: ['job.*'], description: 'Our shop' });
  const schedule = await made('/schedules', {
    ...{ name: 'Reminders', cron: '0 9 1 1 *', type: 'send_email', limit: 'mail' },
    payload: { to: 'ada@example.com', template: 'order-sent' },
    callback_url: 'https://shop.example.com/callback',
  });
  const earlier = await made(`/schedules/${schedule.id}/run`, {});
  await owner.post(`/jobs/${earlier.id}/cancel`, {});
  const { id } = await made(`/schedules/${schedule.id}/run`, {});
  await finishedJob(owner, id);
  const rerun = await made(`/jobs/${id}/rerun`, {});
  await finishedJob(owner, rerun.id);
  const [webhook] = (await owner.get('/org/webhooks')).body;
  const about = `/org/webhooks/${webhook.id}/deliveries?job=${id}`;
  await until('the deliveries', async () => (await owner.get(about)).body.length === 1);

  const page = await openJob(id);
  const related = page.getByRole('region', { name: 'Related' });
  const attempts = related.getByText(/attempts?, the latest|0 attempts/);
  // It has loaded, so that none of its requests counts.
  await attempts.waitFor();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.reload();
  await related.getByText('Recorded').or(related.getByText('Sent')).first().waitFor();
  await attempts.waitFor();
  const runs = related.getByRole('list', { name: 'Last runs' }).getByRole('listitem');
  await runs.nth(1).waitFor();
  const links = ['order-sent', 'Reminders', /^mail$/, /^Email /];
  for (const name of links) await related.getByRole('link', { name }).waitFor();
  expect(asked.filter((path) => path.startsWith('/org/webhooks'))).toEqual([]);
  expect(asked.filter((path) => path === `/jobs/${id}/attempts`)).toHaveLength(1);
  const calls = new Set(asked.filter((path) => !/^\/(assets|job)\/|\.\w+$/.test(path)));
  expect(calls.size, [...calls].join()).toBeLessThanOrEqual(15);

  await related.getByText('Reruns, and deliveries to webhooks').click();
  await related
    .getByRole('link', { name: rerun.id })
    .or(related.locator(`a[title="${rerun.id}"]`))
    .first()
    .waitFor();
  await related.getByText('to Our shop').waitFor();
  await expectAccessibleInEveryLook(page, 'job-related', related);
  await related.getByText('Reruns, and deliveries to webhooks').click(); // the panel is another one in a narrow window
  await related.getByRole('link', { name: 'job.done' }).click();
  await page.waitForURL(
    ({ pathname, searchParams: params }) => pathname === '/webhooks' && params.get('id') === webhook.id,
  );
  await page.getByRole('dialog').getByText('job.done').first().waitFor();

  const member = await openJob(rerun.id, {}, await memberOf(owner));
  await member.getByRole('region', { name: 'Related' }).locator(`a[title="${id}"]`).waitFor();
  await member.getByText('Reruns', { exact: true }).first().click();
  await member.getByText('None', { exact: true }).waitFor();
  expect(await member.getByText(/deliveries to webhooks/).count()).toBe(0);
});
