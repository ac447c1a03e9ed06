import { describe, expect, it } from 'vitest';
import { type Person, register, until } from '../harness/index.js';
import { postReport, SMS_SECRET } from '../messages/support.js';
import { expectAccessibleInEveryLook, NARROW, setLook } from './looks.js';
import { passTime } from './page-pool.js';
import { usePages } from './support.js';
import { hold } from './team-support.js';

const { allow, api, openPageAs, world } = usePages();

const TO = '+254711000111';

async function send(person: Person, message: string, to = TO): Promise<string> {
  const answer = await person.post('/sms/send', { to, message });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.id;
}

async function sentBy(person: Person): Promise<{ message: string; segments: number; to: string }[]> {
  return (await person.get('/sms/messages')).body;
}

describe('composing an SMS', () => {
  it('a curly quote causes a warning and can be replaced, and the SMS is sent once and listed as recorded', async () => {
    const person = await register(api().call);
    await person.post('/org/sender-ids', { sender_id: 'ACME' });
    const page = await openPageAs(person, '/sms');
    await page.getByText('No SMS yet.').waitFor();

    await page.getByLabel('To', { exact: true }).fill('+254 711 000-111');
    await page.getByLabel('From', { exact: true }).click();
    await page.getByRole('option', { name: 'ACME' }).click();
    await page.getByLabel('Message', { exact: true }).fill('It’s here');
    await page.getByText('carrier: about 1 part (Unicode)').waitFor();
    await page.getByRole('button', { name: 'Use plain characters' }).click();
    await page.getByText('carrier: about 1 part (GSM-7)').waitFor();
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe("It's here");
    await page.getByRole('button', { name: 'Send SMS' }).dblclick();

    const row = page.getByRole('row').filter({ hasText: TO });
    await row.getByText('Recorded, not sent').waitFor();
    await page.getByRole('status').filter({ hasText: '1 segment' }).waitFor();
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('');
    expect(await sentBy(person)).toMatchObject([{ to: TO, from: 'ACME', message: "It's here", segments: 1 }]);
  });

  it('the form counts the recorded segments and the parts of a carrier, for other scripts too', async () => {
    const page = await openPageAs(await register(api().call), '/sms');
    await page.getByLabel('Message', { exact: true }).fill('ж'.repeat(71));

    await page.getByText('71 characters').waitFor();
    await page.getByText('1 segment', { exact: true }).waitFor();
    await page.getByText('carrier: about 2 parts (Unicode)').waitFor();
    await page.getByLabel('Message', { exact: true }).fill('a'.repeat(161));
    await page.getByText('2 segments', { exact: true }).waitFor();
  });

  it('an invalid number is reported at its field, which gets the focus', async () => {
    const page = await openPageAs(await register(api().call), '/sms');
    await page.getByLabel('To', { exact: true }).fill('0711 000 111');
    await page.getByLabel('Message', { exact: true }).fill('Hello');
    await page.keyboard.press('Control+Enter');

    await page.getByText('Start with + and the country code, such as +254700000000.').waitFor();
    expect(await page.getByLabel('To', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('To', { exact: true }).evaluate((input) => input === document.activeElement)).toBe(
      true,
    );
  });

  it('a failed SMS stays in the form and is sent again with the same key', async () => {
    allow(/status of 502/);
    const person = await register(api().call);
    const page = await openPageAs(person, '/sms');
    const keys: (string | undefined)[] = [];
    await page.route('**/sms/send', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      const error = { code: 'provider_error', message: 'The provider did not answer.', request_id: 'req-1' };
      return route.fulfill({ status: 502, json: { error } });
    });
    await page.getByLabel('To', { exact: true }).fill(TO);
    await page.getByLabel('Message', { exact: true }).fill('Once');
    await page.getByRole('button', { name: 'Send SMS' }).click();
    await page.getByRole('alert').filter({ hasText: 'The provider did not answer.' }).waitFor();
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('Once');
    await page.getByRole('button', { name: 'Send SMS' }).click();
    await page.getByRole('status').filter({ hasText: 'Recorded, not sent' }).waitFor();

    // The same text after success is a new SMS.
    await page.getByLabel('To', { exact: true }).fill(TO);
    await page.getByLabel('Message', { exact: true }).fill('Once');
    await page.getByRole('button', { name: 'Send SMS' }).click();
    await until('the second SMS is recorded', async () => (await sentBy(person)).length === 2);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[2]).not.toBe(keys[1]);
  });

  it('a sender ID that is no longer registered is reported at its field', async () => {
    const person = await register(api().call);
    const { id } = (await person.post('/org/sender-ids', { sender_id: 'GONE' })).body;
    const page = await openPageAs(person, '/sms');
    await page.getByLabel('To', { exact: true }).fill(TO);
    await page.getByLabel('Message', { exact: true }).fill('Hello');
    await page.getByLabel('From', { exact: true }).click();
    await page.getByRole('option', { name: 'GONE' }).click();
    await api().call('DELETE', `/org/sender-ids/${id}`, { token: person.token });
    await page.getByRole('button', { name: 'Send SMS' }).click();

    await page.getByText('Choose another sender ID, or register it under Domains, Sender IDs.').waitFor();
    expect(await page.getByLabel('From', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  });

  it('a draft is kept after a reload, and can be discarded and restored', async () => {
    const page = await openPageAs(await register(api().call), '/sms');
    await page.getByLabel('Message', { exact: true }).fill('Half a thou');
    await page.getByText('Draft kept in this tab').waitFor();
    await until('the draft is stored', () =>
      page.evaluate(() => Object.values(sessionStorage).some((value) => value.includes('Half a thou'))),
    );
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();

    const message = page.getByLabel('Message', { exact: true });
    await until('the draft is shown again', async () => (await message.inputValue()) === 'Half a thou');
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await message.inputValue()).toBe('');
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await message.inputValue()).toBe('Half a thou');
  });

  it('a draft of another version of the page is dropped, so that it is not sent in another way than chosen', async () => {
    const page = await openPageAs(await register(api().call), '/sms');
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('Half a thou');
    await until('the draft is stored', () =>
      page.evaluate(() => Object.values(sessionStorage).some((value) => value.includes('Half a thou'))),
    );
    await page.evaluate(() => {
      for (const [key, value] of Object.entries(sessionStorage)) {
        sessionStorage.setItem(key, value.replace('"delivery":"now"', '"how":"queue"'));
      }
    });
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();

    expect(await message.inputValue()).toBe('');
    expect(await page.getByLabel('Send now').isChecked()).toBe(true);
    expect(await page.getByText('Draft kept in this tab').count()).toBe(0);
  });

  it('on a phone, a toast does not cover the send button', async () => {
    const page = await openPageAs(await register(api().call), '/sms', { width: 375 });
    await page.getByLabel('Message', { exact: true }).fill('Half a thou');
    await page.getByRole('button', { name: 'Discard' }).click();
    const toast = page.getByRole('listitem').filter({ hasText: 'The draft is discarded' });
    const head = page.getByRole('heading', { level: 1, name: 'SMS' });
    await head.scrollIntoViewIfNeeded();
    const [toastBox, headBox] = await Promise.all([toast.boundingBox(), head.boundingBox()]);
    expect((toastBox?.y ?? 0) + (toastBox?.height ?? 0)).toBeLessThanOrEqual(headBox?.y ?? 0);
    await page.getByRole('button', { name: 'Send SMS' }).click({ trial: true });
  });

  it('a queued SMS becomes a job with its retries, which sends it', async () => {
    await world().worker();
    const person = await register(api().call);
    const page = await openPageAs(person, '/sms');
    await page.getByLabel('To', { exact: true }).fill(TO);
    await page.getByLabel('Message', { exact: true }).fill('By a job');
    await page.getByRole('radio', { name: 'Queue with retries' }).click();
    await page.getByLabel('Retries', { exact: true }).fill('5');
    await page.getByRole('button', { name: 'Queue SMS' }).click();
    await page.getByText(`Queued for ${TO}`).waitFor();

    const [job] = (await person.get('/jobs')).body;
    expect(job).toMatchObject({ type: 'send_sms', max_retries: 5 });
    await until('the SMS is sent', async () => (await sentBy(person)).length === 1);
    await page.reload();
    await page.getByRole('link', { name: TO }).click();
    const report = page.getByRole('dialog', { name: 'Delivery report' });
    expect(await report.getByRole('link', { name: job.id }).getAttribute('href')).toBe(`/job/${job.id}`);
  });
});

describe('the SMS history', () => {
  it('the history is filtered by the URL, shows an empty state, and appends older SMS', async () => {
    const person = await register(api().call);
    for (let n = 0; n < 51; n += 1) await send(person, `Text ${n}`);
    const page = await openPageAs(person, '/sms?status=delivered');
    await page.getByText('No delivered SMS.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('row').filter({ hasText: 'Text 50' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    expect(await page.getByRole('cell', { name: 'Text 0', exact: true }).count()).toBe(0);

    await page.getByRole('button', { name: 'Load 50 older' }).click();
    await page.getByRole('cell', { name: 'Text 0', exact: true }).waitFor();
    await page.getByText('51 SMS in total').waitFor();
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await page.getByText('No failed SMS.').waitFor();
    expect(new URL(page.url()).searchParams.get('status')).toBe('failed');
  });

  it('new SMS are shown only on request', async () => {
    const person = await register(api().call);
    await send(person, 'The first');
    const page = await openPageAs(person, '/sms', { hasClock: true });
    await page.getByRole('row').filter({ hasText: 'The first' }).waitFor();
    await send(person, 'The second');
    const more = page.getByRole('button', { name: '1 new SMS' });
    await until('the new SMS is offered', async () => {
      await page.clock.fastForward(1_000); // recently loaded data is not refetched
      // As if the user returned to the tab.
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
      return more.isVisible();
    });
    expect(await page.getByRole('row').filter({ hasText: 'The second' }).count()).toBe(0);
    await more.click();
    await page.getByRole('row').filter({ hasText: 'The second' }).waitFor();
  });

  it('a delivery report opens with the keyboard, shows every step, and restores the focus', async () => {
    const reported = await world().api({ settings: { callbacks: { SMS_WEBHOOK_SECRET: SMS_SECRET } } });
    const person = await register(api().call);
    const id = await send(person, 'Hello there');
    await world().db.message.update({
      where: { id },
      data: { provider: 'africastalking', providerMessageId: 'ATPid_7' },
    });
    const page = await openPageAs(person, '/sms', { hasClock: true });
    await page.getByRole('link', { name: TO }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const report = page.getByRole('dialog', { name: 'Delivery report' });
    await report.getByText('Delivered, pending').waitFor();
    const form = { id: 'ATPid_7', status: 'Success', phoneNumber: TO };
    expect((await postReport(reported.call, form)).status).toBe(200);

    await passTime(page, report.getByRole('listitem').filter({ hasText: 'Success' }).getByText('Delivered'));
    await report.getByText('ATPid_7').waitFor();
    await report.getByText('Sent directly').waitFor();
    await page.keyboard.press('Escape');
    await report.waitFor({ state: 'detached' });
    const isBack = () => page.getByRole('link', { name: TO }).evaluate((link) => link === document.activeElement);
    await until('the focus has returned', isBack);
  });

  it('the history shows why it failed to load and can retry', async () => {
    allow(/status of 503/);
    const person = await register(api().call);
    await send(person, 'Still here');
    const page = await openPageAs(person, '/templates', { hasClock: true });
    const error = { code: 'unavailable', message: 'The service cannot reach its database.', request_id: 'req-9' };
    await page.route('**/sms/messages?*', (route) => route.fulfill({ status: 503, json: { error } }));
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await passTime(page, page.getByText('The service cannot reach its database.'));
    await page.unroute('**/sms/messages?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('row').filter({ hasText: 'Still here' }).waitFor();
  });
});

it('the SMS page is accessible in every theme and width: empty, composing, loading, full and with a report', async () => {
  const person = await register(api().call);
  const page = await openPageAs(person, '/sms');
  await expectAccessibleInEveryLook(page, 'sms-empty', page.getByLabel('Message', { exact: true }));
  await page.getByLabel('Message', { exact: true }).fill('“It’s” a long day — really… 😀');
  await page.getByLabel('To', { exact: true }).fill('12');
  await page.getByRole('button', { name: 'Send SMS' }).click();
  await expectAccessibleInEveryLook(page, 'sms-written', page.getByText('Start with + and the country code, such as'));

  await send(person, 'A text that is rather long and goes on and on, for 160 characters or more. '.repeat(3));
  await send(person, 'Your code is 123456', '+254700000000');
  const failed = await send(person, 'This is not delivered');
  await world().db.message.update({
    where: { id: failed },
    data: {
      status: 'failed',
      provider: 'africastalking',
      errorCode: 'provider_rejected',
      errorMessage: 'InvalidPhoneNumber',
    },
  });
  const release = await hold(page, '**/sms/messages?*');
  page.once('dialog', (dialog) => void dialog.accept());
  await page.goto('/sms?tab=history');
  await expectAccessibleInEveryLook(page, 'sms-loading', page.getByText('Loading SMS'));
  release();
  await expectAccessibleInEveryLook(page, 'sms-full', page.getByRole('link', { name: '+254700000000' }));
  await setLook(page, { theme: 'light', width: NARROW });
  await until('the table is a list', async () => (await page.getByRole('table').count()) === 0);
  await page.getByRole('link', { name: TO }).first().click();
  await expectAccessibleInEveryLook(page, 'sms-report', page.getByRole('dialog').getByText('InvalidPhoneNumber'));
});
