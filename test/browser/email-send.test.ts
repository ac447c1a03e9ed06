import { newId } from '@jobline/runtime';
import type { Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { register, until } from '../harness/index.js';
import { CALLBACKS, postEvents } from '../messages/support.js';
import { compose, HTML, plant, reading, rows, write, writeAs } from './email-support.js';
import { passTime } from './page-pool.js';
import { usePages } from './support.js';
import { hold } from './team-support.js';

const pages = usePages();
const { allow, api, openPageAs, world } = pages;

describe('sending an email now', () => {
  it('an email is written and sent with the keyboard only, then opens and is shown as recorded by the sandbox', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/email');
    await page.getByText('Nothing sent yet').waitFor();
    await page.keyboard.press('n');
    await compose(page).waitFor();
    expect(new URL(page.url()).searchParams.get('compose')).toBe('1');
    await until('the first field has the focus', () =>
      compose(page)
        .getByLabel('To', { exact: true })
        .evaluate((field) => field === document.activeElement),
    );
    await page.keyboard.type('ada@example.com');
    await compose(page).getByLabel('Subject').fill('Karibu');
    await compose(page).getByLabel('Body', { exact: true }).fill(HTML);
    await page.keyboard.press('Control+Enter');

    await compose(page).waitFor({ state: 'detached' });
    await reading(page).getByRole('heading', { name: 'Karibu' }).waitFor();
    await reading(page).getByText('The sandbox recorded this email and did not send it.').waitFor();
    await rows(page).first().getByText('Recorded, not sent').waitFor();
    expect((await person.get('/email/messages')).body).toMatchObject([
      { to: 'ada@example.com', subject: 'Karibu', status: 'sent', provider: 'sandbox', job_id: null },
    ]);
    expect(new URL(page.url()).search).toMatch(/^\?id=/);
    await page.getByRole('button', { name: 'Compose' }).waitFor();
  });

  it('a sent email is shown without remote images and links, with its source and details', async () => {
    const person = await register(api().call);
    const id = await plant(pages, person, { subject: 'Karibu', body: HTML });
    const page = await openPageAs(person, `/email?id=${id}`);

    await reading(page).getByText('1 remote image blocked here').waitFor();
    const frame = reading(page).frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Karibu' }).waitFor();
    expect(await frame.locator('a[href]').count()).toBe(0);
    expect(await reading(page).locator('iframe').getAttribute('sandbox')).toBe('');
    await reading(page).getByRole('tab', { name: 'Source' }).click();
    await reading(page).getByText('<h1>Karibu</h1>').waitFor();
    await reading(page).getByRole('tab', { name: 'Details' }).click();
    await reading(page).getByText(`sg-${id}`).waitFor();
    await reading(page).getByRole('listitem').filter({ hasText: 'Delivered, pending' }).waitFor();
  });

  it('a delivery report updates the status in the list and in the message', async () => {
    const reports = await world().api({ settings: { callbacks: CALLBACKS } });
    const person = await register(api().call);
    const id = await plant(pages, person);
    const page = await openPageAs(person, `/email?id=${id}`, { hasClock: true });
    await reading(page).getByRole('tab', { name: 'Details' }).click();
    await reading(page).getByRole('listitem').filter({ hasText: 'Delivered, pending' }).waitFor();

    const event = { event: 'delivered', sg_event_id: newId(), sg_message_id: `sg-${id}.1`, jl_message_id: id };
    const answer = await postEvents(reports.call, [{ ...event, email: 'bob@example.com', timestamp: 1_790_000_000 }]);
    expect(answer.status, answer.text).toBe(200);

    await passTime(page, rows(page).first().getByText('Delivered'));
    expect(await reading(page).getByText('pending').count()).toBe(0);
    await page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: 'Delivered' }).click();
    await rows(page).first().getByText('bob@example.com').waitFor();
    await page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: 'Bounced' }).click();
    await page.getByText('No bounced emails').waitFor();
    const current = page.getByRole('navigation', { name: 'Folders' }).locator('[aria-current]');
    expect(await current.allInnerTexts()).toEqual(['Bounced']);
  });

  it('an email is sent once even if the session ended while it was written', async () => {
    const person = await register(api().call);
    await plant(pages, person);
    const page = await writeAs(pages, person);
    await write(page);
    const release = await hold(page, '**/email/messages?*'); // so that only the send request gets the 401
    await person.post('/auth/logout');
    await compose(page).getByRole('button', { name: 'Send now' }).dblclick();

    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill(person.password);
    release();
    await dialog.getByRole('button', { name: 'Sign in' }).click();

    await reading(page).getByRole('heading', { name: 'Hello' }).waitFor();
    await rows(page).first().getByText('Hello').waitFor();
    expect(await world().db.message.count({ where: { orgId: person.orgId } })).toBe(2);
  });

  it('a draft is kept when the session ends and the page is reloaded', async () => {
    const person = await register(api().call);
    const page = await writeAs(pages, person);
    await write(page, { subject: 'Long text' });
    await until('the draft is stored', () => page.evaluate(() => JSON.stringify(sessionStorage).includes('Long text')));
    page.on('dialog', (dialog) => void dialog.accept());
    await person.post('/auth/logout');
    await page.reload();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('Email').fill(person.email);
    await dialog.getByLabel('Password', { exact: true }).fill(person.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();

    await compose(page).waitFor();
    expect(await compose(page).getByLabel('Subject').inputValue()).toBe('Long text');
    expect(await compose(page).getByLabel('Body', { exact: true }).inputValue()).toBe('Hi Ada');
  });

  it('a failed email stays in the form and is sent again with the same key until it is changed', async () => {
    const person = await register(api().call);
    allow(/status of 502/);
    const page = await writeAs(pages, person);
    const keys: (string | null)[] = [];
    await page.route('**/email/send', async (route) => {
      keys.push(await route.request().headerValue('idempotency-key'));
      const error = { code: 'provider_error', message: 'The provider did not answer: timeout', request_id: 'req-502' };
      await route.fulfill({ status: 502, contentType: 'application/json', body: JSON.stringify({ error }) });
    });
    await write(page);
    const send = compose(page).getByRole('button', { name: 'Send now' });
    for (const times of [1, 2]) {
      await send.click();
      await until('the request was sent', () => keys.length === times);
      await compose(page).getByRole('alert').getByText('The provider did not answer').waitFor();
    }
    await compose(page).getByLabel('Subject').fill('Hello again');
    await send.click();
    await until('the request was sent', () => keys.length === 3);

    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
    expect(await compose(page).getByLabel('Body', { exact: true }).inputValue()).toBe('Hi Ada');
  });

  it('an email that is sent after its panel was closed does not navigate and keeps a newer draft', async () => {
    const person = await register(api().call);
    const page = await writeAs(pages, person);
    let held: Route | null = null;
    await page.route('**/email/send', (route) => {
      held = route;
    });
    await write(page, { subject: 'The first' });
    await compose(page).getByRole('button', { name: 'Send now' }).click();
    const sending = await until('the request is running', () => held);
    await page.keyboard.press('Escape');
    await compose(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Continue draft' }).click();
    await compose(page).getByLabel('Subject').fill('The second');
    await page.keyboard.press('Escape');
    const before = page.url();
    await sending.continue();

    await page.getByRole('button', { name: 'Open the email' }).waitFor();
    await rows(page).first().getByText('The first').waitFor();
    expect(page.url()).toBe(before);
    await page.getByRole('button', { name: 'Continue draft' }).click();
    expect(await compose(page).getByLabel('Subject').inputValue()).toBe('The second');
    expect(await world().db.message.count({ where: { orgId: person.orgId } })).toBe(1);
  });

  it('Enter in a field does not send the email', async () => {
    const person = await register(api().call);
    const page = await writeAs(pages, person);
    await write(page);
    await compose(page).getByLabel('To', { exact: true }).press('Enter');
    await compose(page).getByLabel('Subject').press('Enter');
    await compose(page).getByLabel('Subject').fill('Hello again');
    await page.keyboard.press('Control+Enter');

    await reading(page).getByRole('heading', { name: 'Hello again' }).waitFor();
    expect(await world().db.message.count({ where: { orgId: person.orgId } })).toBe(1);
  });

  it('invalid fields of an email show their errors', async () => {
    const page = await writeAs(pages, await register(api().call));
    await compose(page).getByRole('button', { name: 'Send now' }).click();
    await compose(page).getByText('Enter the recipient’s email address.').waitFor();
    await write(page, { to: 'not-an-address' });
    await compose(page).getByRole('button', { name: 'Send now' }).click();

    const to = compose(page).getByRole('textbox', { name: 'To', description: /valid email/ });
    await to.waitFor();
    await until('the field has the focus', () => to.evaluate((field) => field === document.activeElement));
  });
});

describe('queueing an email', () => {
  it('a queued email becomes a job with its retries, and the email links to the job', async () => {
    await world().worker();
    const person = await register(api().call);
    const page = await writeAs(pages, person);
    await write(page, { subject: 'Later' });
    await compose(page)
      .getByRole('radio', { name: /Queue with retries/ })
      .click();
    await compose(page).getByLabel('Retries', { exact: true }).fill('5');
    await compose(page).getByRole('button', { name: 'Queue' }).click();

    const toast = page.getByRole('status').filter({ hasText: 'Email queued' });
    await page.getByText('Email queued').first().waitFor();
    const [job] = (await person.get('/jobs')).body;
    expect(job).toMatchObject({ type: 'send_email', max_retries: 5 });
    await until('the job is done', async () => (await person.get(`/jobs/${job.id}`)).body.status === 'done');
    await page.reload();
    await rows(page).first().getByRole('link').click();
    await reading(page).getByRole('tab', { name: 'Details' }).click();
    await reading(page).locator(`a[href="/job/${job.id}"]`).click();
    await page.waitForURL(`**/job/${job.id}`);
    expect(await toast.count()).toBeLessThanOrEqual(1);
  });

  it('a queued email with an incomplete date is not submitted', async () => {
    const person = await register(api().call);
    const page = await writeAs(pages, person);
    await write(page);
    await compose(page)
      .getByRole('radio', { name: /Queue with retries/ })
      .click();
    await compose(page).getByLabel('Not before').focus();
    await page.keyboard.type('2112');
    await compose(page).getByRole('button', { name: 'Queue' }).click();

    await compose(page).getByText('Complete the date and time, or clear the field.').waitFor();
    expect((await person.get('/jobs')).body).toEqual([]);
  });

  it('an invalid number of retries is reported at its field', async () => {
    const page = await writeAs(pages, await register(api().call));
    await write(page);
    await compose(page)
      .getByRole('radio', { name: /Queue with retries/ })
      .click();
    await compose(page).getByLabel('Retries', { exact: true }).fill('101');
    await compose(page).getByRole('button', { name: 'Queue' }).click();
    await compose(page).getByText('Enter a whole number from 0 to 100.').waitFor();
  });
});
