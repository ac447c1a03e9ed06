import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Person, register, until } from '../harness/index.js';
import { usePages } from './support.js';
import { hold } from './team-support.js';

const { allow, api, openPageAs, world } = usePages();

const TO = '+254711000111';
const message = (page: Page) => page.getByLabel('Message', { exact: true });
const send = (page: Page) => page.getByRole('button', { name: 'Send SMS' });

async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel('To', { exact: true }).fill(TO);
  await message(page).fill(text);
}

const sentBy = (person: Person) => world().db.message.findMany({ where: { orgId: person.orgId } });

/** Collects the idempotency keys of the send requests. The first request fails with an unknown effect. */
async function failOnce(page: Page): Promise<string[]> {
  const keys: string[] = [];
  await page.route('**/sms/send', async (route) => {
    keys.push(route.request().headers()['idempotency-key'] ?? '');
    if (keys.length > 1) return route.continue();
    const error = { code: 'unknown_effect', message: 'The provider broke off.', request_id: 'req-1' };
    return route.fulfill({ status: 502, json: { error } });
  });
  return keys;
}

/** Delays send requests until `go` is called. */
async function holdSending(page: Page): Promise<{ held: () => boolean; go: () => void }> {
  let waiting: Route | null = null;
  await page.route('**/sms/send', (route) => {
    waiting = route;
  });
  return { held: () => waiting !== null, go: () => void waiting?.continue() };
}

async function show(page: Page, tab: 'Compose' | 'History'): Promise<void> {
  await page.getByRole('tab', { name: tab }).click();
}

describe('an SMS with an unknown effect', () => {
  it('the warning and the idempotency key are kept while the history is shown on a phone', async () => {
    allow(/status of 502/);
    const person = await register(api().call);
    const page = await openPageAs(person, '/sms', { width: 375 });
    const keys = await failOnce(page);
    await write(page, 'Once');
    await send(page).click();
    const warning = page.getByRole('alert').filter({ hasText: 'It is unknown whether the SMS was sent' });
    await warning.waitFor();
    await show(page, 'History');
    await page.getByText('No SMS yet.').waitFor();
    await show(page, 'Compose');

    await warning.waitFor();
    expect(await message(page).inputValue()).toBe('Once');
    await send(page).click();
    await page.getByRole('status').filter({ hasText: 'Recorded, not sent' }).waitFor();
    expect(keys[1]).toBe(keys[0]);
    expect(await sentBy(person)).toHaveLength(1);
  });

  it('the warning is kept when the window becomes wide, and the idempotency key when another page is opened', async () => {
    allow(/status of 502/);
    const person = await register(api().call);
    const page = await openPageAs(person, '/sms', { width: 1000 });
    const keys = await failOnce(page);
    await write(page, 'Once');
    await send(page).click();
    const warning = page.getByRole('alert').filter({ hasText: 'It is unknown whether the SMS was sent' });
    await warning.waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('heading', { name: 'History' }).waitFor();
    await warning.waitFor();
    await page.getByRole('link', { name: 'Templates' }).click();
    await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor();
    await page.getByRole('link', { name: 'SMS' }).click();

    await until('the draft is shown', async () => (await message(page).inputValue()) === 'Once');
    await send(page).click();
    await page.getByRole('status').filter({ hasText: 'Recorded, not sent' }).waitFor();
    expect(keys[1]).toBe(keys[0]);
    expect(await sentBy(person)).toHaveLength(1);
  });
});

describe('sending an SMS', () => {
  it('an SMS is sent once even if the session ended while it was written', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/sms');
    const keys: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/sms/send')) keys.push(request.headers()['idempotency-key']);
    });
    await write(page, 'Long text');
    const release = await hold(page, '**/sms/messages?*'); // so that only the send request gets the 401
    await person.post('/auth/logout');
    await send(page).dblclick();

    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    expect(await message(page).inputValue()).toBe('Long text');
    await dialog.getByLabel('Password', { exact: true }).fill(person.password);
    release();
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('status').filter({ hasText: 'Recorded, not sent' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'Long text' }).waitFor();
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(await sentBy(person)).toHaveLength(1);
  });

  it('Enter in a field does not send the SMS', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/sms');
    await write(page, 'Not yet');
    await page.getByLabel('To', { exact: true }).press('Enter');
    await message(page).fill('Now');
    await page.getByLabel('To', { exact: true }).press('Control+Enter');

    await page.getByRole('status').filter({ hasText: 'Recorded, not sent' }).waitFor();
    expect((await sentBy(person)).map(({ body }) => body)).toEqual(['Now']);
  });

  it('text that is typed while an SMS is sent is kept', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/sms');
    const sending = await holdSending(page);
    await write(page, 'The first');
    await send(page).click();
    await until('the request is running', sending.held);
    await message(page).fill('The second');
    sending.go();

    await page.getByRole('status').filter({ hasText: 'Recorded, not sent' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'The first' }).waitFor();
    expect(await message(page).inputValue()).toBe('The second');
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe(TO);
  });

  it('an SMS with an incomplete date is not queued', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/sms');
    await write(page, 'Later');
    await page.getByRole('radio', { name: 'Queue with retries' }).click();
    const notBefore = page.getByLabel('Not before');
    await notBefore.focus();
    await page.keyboard.type('2112');
    await page.getByRole('button', { name: 'Queue SMS' }).click();

    await page.getByText('Complete the date and time, or clear the field.').waitFor();
    expect(await notBefore.evaluate((input) => input === document.activeElement)).toBe(true);
    expect((await person.get('/jobs')).body).toEqual([]);
    const at = new Date(Date.now() + 24 * 3_600_000).toISOString().slice(0, 16);
    await notBefore.fill(at); // three hours earlier in UTC, because the browser's time zone is Nairobi
    await page.getByRole('button', { name: 'Queue SMS' }).click();
    await page.getByText(`Queued for ${TO}`).waitFor();
    const [job] = (await person.get('/jobs')).body;
    const { run_at } = (await person.get(`/jobs/${job.id}/result`)).body;
    expect(run_at).toBe(new Date(Date.parse(`${at}Z`) - 3 * 3_600_000).toISOString());
  });
});

describe('a discarded SMS draft', () => {
  it('a discarded draft can be restored from another page or after returning', async () => {
    const page = await openPageAs(await register(api().call), '/sms');
    const leave = async () => {
      await page.getByRole('link', { name: 'Templates' }).click();
      await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor();
    };
    const undo = page.getByRole('button', { name: 'Undo' });
    await write(page, 'Half a thought');
    await page.getByRole('button', { name: 'Discard' }).click();
    await leave();
    await undo.click();
    await page.getByRole('link', { name: 'SMS' }).click();
    await until('the draft is shown', async () => (await message(page).inputValue()) === 'Half a thought');

    await page.getByRole('button', { name: 'Discard' }).click();
    await leave();
    await page.getByRole('link', { name: 'SMS' }).click();
    await message(page).waitFor();
    expect(await message(page).inputValue()).toBe('');
    await undo.click();
    await until('the draft is shown again', async () => (await message(page).inputValue()) === 'Half a thought');
  });
});
