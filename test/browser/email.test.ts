import { newId } from '@jobline/runtime';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { addMember } from '../api/support.js';
import { type Person, register, until } from '../harness/index.js';
import { CALLBACKS, postEvents } from '../messages/support.js';
import { expectAccessible, LOOKS, screenshot, usePages } from './support.js';

const { allow, api, openPageAs, world } = usePages();

const HTML =
  '<h1>Karibu</h1><p>Hello <a href="https://acme.example/">Ada</a></p><img src="https://tracker.example/1.gif" alt="Logo">';
const compose = (page: Page) => page.getByRole('dialog', { name: 'New email' });
const rows = (page: Page) => page.getByRole('list', { name: /^Emails/ }).getByRole('listitem');
const reading = (page: Page) => page.getByRole('article', { name: 'Email' });

/** A tab at the panel. */
async function writeAs(person: Person): Promise<Page> {
  const page = await openPageAs(person, '/email');
  await page.getByRole('button', { name: 'Compose' }).first().click();
  await compose(page).waitFor();
  return page;
}

async function write(page: Page, { to = 'ada@example.com', subject = 'Hello', body = 'Hi Ada' } = {}): Promise<void> {
  await compose(page).getByLabel('To', { exact: true }).fill(to);
  await compose(page).getByLabel('Subject').fill(subject);
  await compose(page).getByLabel('Body', { exact: true }).fill(body);
}

/** An email on record, as if it was sent before. */
async function plant(person: Person, more: Record<string, unknown> = {}): Promise<string> {
  const now = new Date();
  const id = newId();
  const texts = { subject: 'Invoice 12', body: 'Pay', recipient: 'bob@example.com', providerMessageId: `sg-${id}` };
  const times = { calledAt: now, sentAt: now, createdAt: now, updatedAt: now };
  const data = { id, orgId: person.orgId, channel: 'email' as const, status: 'sent' as const, provider: 'sendgrid' };
  await world().db.message.create({ data: { ...data, ...texts, ...times, ...more } });
  return id;
}

async function suppress(person: Person, address: string): Promise<void> {
  await world().db.suppression.create({
    data: { orgId: person.orgId, address, reason: 'bounce', messageId: newId(), createdAt: new Date() },
  });
}

async function addDomain(person: Person, domain: string, isVerified: boolean): Promise<void> {
  const { body } = await person.post('/org/domains', { domain });
  if (!isVerified) return;
  await world().db.domain.update({ where: { id: body.id }, data: { verifiedAt: new Date() } });
}

describe('an email that is sent now', () => {
  it('is written and sent by the keyboard alone, opens, and says that the sandbox sent nothing', async () => {
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
    await reading(page).getByText('nobody has received this').waitFor();
    await rows(page).first().getByText('Recorded, not sent').waitFor();
    expect((await person.get('/email/messages')).body).toMatchObject([
      { to: 'ada@example.com', subject: 'Karibu', status: 'sent', provider: 'sandbox', job_id: null },
    ]);
    expect(new URL(page.url()).search).toMatch(/^\?id=/);
    await page.getByRole('button', { name: 'Compose' }).waitFor();
  });

  it('is shown without its remote images and links, says so, and has its source and details', async () => {
    const person = await register(api().call);
    const id = await plant(person, { subject: 'Karibu', body: HTML });
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
    await reading(page).getByText('None so far.').waitFor();
  });

  it('moves on when its provider reports, in the list as in the message', async () => {
    const reports = await world().api({ settings: { callbacks: CALLBACKS } });
    const person = await register(api().call);
    const id = await plant(person);
    const page = await openPageAs(person, `/email?id=${id}`);
    await reading(page).getByRole('listitem').filter({ hasText: 'Delivered: not yet' }).waitFor();

    const event = { event: 'delivered', sg_event_id: newId(), sg_message_id: `sg-${id}.1`, jl_message_id: id };
    const answer = await postEvents(reports.call, [{ ...event, email: 'bob@example.com', timestamp: 1_790_000_000 }]);
    expect(answer.status, answer.text).toBe(200);

    await rows(page).first().getByText('Delivered').waitFor();
    expect(await reading(page).getByText('not yet').count()).toBe(0);
    await page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: 'Delivered' }).click();
    await rows(page).first().getByText('bob@example.com').waitFor();
    await page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: 'Bounced' }).click();
    await page.getByText('No bounced emails').waitFor();
    const current = page.getByRole('navigation', { name: 'Folders' }).locator('[aria-current]');
    expect(await current.allInnerTexts()).toEqual(['Bounced']);
  });

  it('is sent once although the session ended while it was written', async () => {
    const person = await register(api().call);
    await plant(person);
    const page = await writeAs(person);
    await write(page);
    await person.post('/auth/logout');
    await compose(page).getByRole('button', { name: 'Send now' }).dblclick();

    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill(person.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();

    await reading(page).getByRole('heading', { name: 'Hello' }).waitFor();
    await rows(page).first().getByText('Hello').waitFor();
    expect(await world().db.message.count({ where: { orgId: person.orgId } })).toBe(2);
  });

  it('keeps its text when the session ends and the page is loaded anew', async () => {
    const person = await register(api().call);
    const page = await writeAs(person);
    await write(page, { subject: 'Long text' });
    await until('it is kept', () => page.evaluate(() => JSON.stringify(sessionStorage).includes('Long text')));
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

  it('stays in the form when its provider fails, and is sent again under the same key until it is changed', async () => {
    const person = await register(api().call);
    allow(/status of 502/);
    const page = await writeAs(person);
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
      await until('it was asked', () => keys.length === times);
      await compose(page).getByRole('alert').getByText('The provider did not answer').waitFor();
    }
    await compose(page).getByLabel('Subject').fill('Hello again');
    await send.click();
    await until('it was asked', () => keys.length === 3);

    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
    expect(await compose(page).getByLabel('Body', { exact: true }).inputValue()).toBe('Hi Ada');
  });

  it('says at the fields what is wrong with it', async () => {
    const page = await writeAs(await register(api().call));
    await compose(page).getByRole('button', { name: 'Send now' }).click();
    await compose(page).getByText('Enter the recipient’s address.').waitFor();
    await write(page, { to: 'nobody' });
    await compose(page).getByRole('button', { name: 'Send now' }).click();

    const to = compose(page).getByRole('textbox', { name: 'To', description: /valid email/ });
    await to.waitFor();
    await until('the field has the focus', () => to.evaluate((field) => field === document.activeElement));
  });
});

describe('an email that is queued', () => {
  it('becomes a job with its retries, which it leads to', async () => {
    await world().worker();
    const person = await register(api().call);
    const page = await writeAs(person);
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
    await until('it ran', async () => (await person.get(`/jobs/${job.id}`)).body.status === 'done');
    await page.reload();
    await rows(page).first().getByRole('link').click();
    await reading(page).getByRole('tab', { name: 'Details' }).click();
    await reading(page).locator(`a[href="/job/${job.id}"]`).click();
    await page.waitForURL(`**/job/${job.id}`);
    expect(await toast.count()).toBeLessThanOrEqual(1);
  });

  it('says at the field how many retries there may be', async () => {
    const page = await writeAs(await register(api().call));
    await write(page);
    await compose(page)
      .getByRole('radio', { name: /Queue with retries/ })
      .click();
    await compose(page).getByLabel('Retries', { exact: true }).fill('101');
    await compose(page).getByRole('button', { name: 'Queue' }).click();
    await compose(page).getByText('A whole number from 0 to 100.').waitFor();
  });
});

describe('the sender', () => {
  it('is the default one or a name at a verified domain; pending ones lead to their verification', async () => {
    const person = await register(api().call);
    await addDomain(person, 'acme.example', true);
    await addDomain(person, 'later.example', false);
    const page = await writeAs(person);
    await compose(page).getByText('later.example is pending.').waitFor();
    expect(await compose(page).getByRole('link', { name: 'Verify' }).getAttribute('href')).toBe('/domains');
    await compose(page).getByRole('combobox', { name: 'From' }).click();
    expect(await page.getByRole('option', { name: '@later.example' }).getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('option', { name: '@acme.example' }).click();
    await write(page);
    await compose(page).getByRole('button', { name: 'Send now' }).click();
    await compose(page).getByText('Enter the name before the @.').waitFor();
    await compose(page).getByLabel('Name before the @').fill('hello');
    await compose(page).getByRole('button', { name: 'Send now' }).click();

    await reading(page).getByText('hello@acme.example').first().waitFor();
  });

  it('of a domain that is verified no more is refused with the way to verify it', async () => {
    const person = await register(api().call);
    await addDomain(person, 'acme.example', true);
    const page = await writeAs(person);
    await compose(page).getByRole('combobox', { name: 'From' }).click();
    await page.getByRole('option', { name: '@acme.example' }).click();
    await compose(page).getByLabel('Name before the @').fill('hello');
    await write(page);
    await world().db.domain.updateMany({
      where: { orgId: person.orgId },
      data: { verifiedAt: null },
    });
    await compose(page).getByRole('button', { name: 'Send now' }).click();

    await compose(page).getByRole('alert').getByRole('link', { name: 'Verify the domain' }).waitFor();
    expect(await compose(page).getByLabel('Name before the @').getAttribute('aria-invalid')).toBe('true');
  });
});

describe('a template', () => {
  it('names its variables, says what is missing, and fills subject and body', async () => {
    const person = await register(api().call);
    const body = '<p>Hello {{ name }}</p>';
    await person.post('/org/templates', { name: 'welcome', kind: 'email', subject: 'Welcome {{ name }}', body });
    const page = await writeAs(person);
    await compose(page).getByRole('combobox', { name: 'Template' }).click();
    await page.getByRole('option', { name: /welcome/ }).click();
    const data = compose(page).getByLabel('Data');
    expect(JSON.parse(await data.inputValue())).toEqual({ name: '' });
    await data.fill('{}');
    await compose(page).getByRole('button', { name: 'Fill in' }).click();
    await compose(page).getByText('The data lacks name.').waitFor();
    await data.fill('{"name": "Ada"}');
    await compose(page).getByRole('button', { name: 'Fill in' }).click();

    await until('it is filled', async () => (await compose(page).getByLabel('Subject').inputValue()) === 'Welcome Ada');
    expect(await compose(page).getByLabel('Body', { exact: true }).inputValue()).toBe('<p>Hello Ada</p>');
    await compose(page).getByRole('radio', { name: 'Preview' }).click();
    await compose(page).frameLocator('iframe').getByText('Hello Ada').waitFor();
  });
});

describe('a draft', () => {
  it('is kept when the panel is closed, is a folder, and comes back when it was discarded', async () => {
    const page = await writeAs(await register(api().call));
    await write(page, { subject: 'Half a thought' });
    await page.keyboard.press('Escape');
    await compose(page).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /Drafts/ }).click();
    await page.getByRole('list', { name: 'Drafts' }).getByText('Half a thought').waitFor();
    await page.getByRole('button', { name: 'Go on', exact: true }).click();
    await compose(page).getByRole('button', { name: 'Discard' }).click();
    await page.getByText('No draft', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();

    await compose(page).waitFor();
    expect(await compose(page).getByLabel('Subject').inputValue()).toBe('Half a thought');
  });
});

describe('a suppressed recipient', () => {
  it('is named, and an admin lets them be written to again', async () => {
    const person = await register(api().call);
    await suppress(person, 'gone@example.com');
    const page = await writeAs(person);
    await write(page, { to: 'gone@example.com' });
    await compose(page).getByRole('button', { name: 'Send now' }).click();
    await compose(page).getByRole('alert').getByText('gone@example.com is suppressed').waitFor();
    await compose(page).getByRole('button', { name: 'Remove the suppression' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await compose(page).getByRole('alert').waitFor({ state: 'detached' });
    await compose(page).getByRole('button', { name: 'Send now' }).click();

    await reading(page).getByText('gone@example.com').first().waitFor();
  });

  it('is listed to admins, and removed after a question', async () => {
    const owner = await register(api().call);
    await suppress(owner, 'gone@example.com');
    const admin = await addMember(world(), api(), owner.orgId, 'admin');
    const page = await openPageAs(admin, '/email');
    await page.getByRole('link', { name: 'Suppressed' }).click();
    await page
      .getByRole('row', { name: /gone@example.com/ })
      .getByText('Bounced')
      .waitFor();
    await page.getByRole('button', { name: 'Remove gone@example.com' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();

    await page.getByText('Nobody is suppressed').waitFor();
    expect((await owner.get('/org/suppressions')).body).toEqual([]);
  });

  it('is no member’s affair: they are told who can help', async () => {
    const owner = await register(api().call);
    await suppress(owner, 'gone@example.com');
    const member = await addMember(world(), api(), owner.orgId, 'member');
    const page = await writeAs(member);
    await write(page, { to: 'gone@example.com' });
    await compose(page).getByRole('button', { name: 'Send now' }).click();
    await compose(page).getByText('An owner or admin can remove the suppression.').waitFor();
    expect(await compose(page).getByRole('button', { name: 'Remove the suppression' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('link', { name: 'Suppressed' }).count()).toBe(0);
  });
});

describe('the list', () => {
  it('is walked with j and k, opened with Enter, and come back to with u', async () => {
    const person = await register(api().call);
    for (const subject of ['Third', 'Second', 'First']) await plant(person, { subject });
    const page = await openPageAs(person, '/email');
    await rows(page).first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await reading(page).getByRole('heading', { name: 'First' }).waitFor();
    await page.keyboard.press('j');
    await reading(page).getByRole('heading', { name: 'Second' }).waitFor();
    await page.keyboard.press('k');
    await reading(page).getByRole('heading', { name: 'First' }).waitFor();
    await page.keyboard.press('u');
    await page.getByText('No email is open').waitFor();
    await until('the row has the focus', () =>
      rows(page)
        .first()
        .getByRole('link')
        .evaluate((link) => link === document.activeElement),
    );
  });

  it('loads older ones after those that are shown', async () => {
    const person = await register(api().call);
    const at = Date.now();
    for (let n = 0; n < 55; n++) await plant(person, { subject: `Mail ${n}`, createdAt: new Date(at - n * 1_000) });
    const page = await openPageAs(person, '/email');
    await page.getByRole('button', { name: 'Load 50 older' }).click();
    await page.getByText('55 emails, that is all').waitFor();
    expect(await rows(page).count()).toBe(55);
  });

  it('says why it is not there, and is there after another try', async () => {
    const person = await register(api().call);
    await plant(person);
    allow(/status of 503/);
    const page = await openPageAs(person, '/sms');
    await page.route('**/email/messages?*', (route) => {
      const error = { code: 'unavailable', message: 'The service cannot reach its database.', request_id: 'req-503' };
      return route.fulfill({ status: 503, contentType: 'application/json', body: JSON.stringify({ error }) });
    });
    await page.goto('/email');
    await page.getByRole('alert').getByText('The service cannot reach its database.').waitFor();
    await page.unroute('**/email/messages?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await rows(page).first().waitFor();
  });

  it('takes one message after the other on a phone, with a way back', async () => {
    const person = await register(api().call);
    await plant(person);
    const page = await openPageAs(person, '/email', { width: 375 });
    await rows(page).first().getByRole('link').click();
    const heading = reading(page).getByRole('heading', { name: 'Invoice 12' });
    await heading.waitFor();
    await until('the message has the focus', () => heading.evaluate((h2) => h2 === document.activeElement));
    expect(await rows(page).first().isVisible()).toBe(false);
    await reading(page).getByRole('link', { name: 'Back' }).click();
    await rows(page).first().waitFor();
  });

  it('tells of an email that never was', async () => {
    const page = await openPageAs(await register(api().call), `/email?id=${newId()}`);
    await page.getByText('There is no such email').waitFor();
  });
});

describe.each(LOOKS)('in $theme at $width', (look) => {
  it('is accessible, full and empty, written and failed', { timeout: 90_000 }, async () => {
    const person = await register(api().call);
    allow(/status of 503/);
    const page = await openPageAs(person, '/email', look);
    await page.getByText('Nothing sent yet').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'email-empty', look);

    await addDomain(person, 'acme.example', true);
    await addDomain(person, 'later.example', false);
    const template = { name: 'welcome', kind: 'email', subject: 'Hello {{ name }}', body: 'Hi {{ name }}' };
    await person.post('/org/templates', template);
    const statuses = ['delivered', 'bounced', 'complained', 'failed', 'queued', 'sent'] as const;
    for (const [n, status] of statuses.entries()) {
      const subject = n === 1 ? `A very long subject that goes on ${'and on '.repeat(20)}` : `Invoice ${n}`;
      const recipient = n === 1 ? `${'long.name'.repeat(6)}@example.com` : `bob-${n}@example.com`;
      await plant(person, { status, subject, recipient, createdAt: new Date(Date.now() - (n + 1) * 400_000) });
    }
    const id = await plant(person, { provider: 'sandbox', subject: 'Karibu', body: HTML, providerMessageId: null });
    await page.goto('/email');
    await rows(page).nth(6).waitFor();
    await screenshot(page, 'email-list', look);
    await page.goto(`/email?id=${id}`);
    await reading(page).frameLocator('iframe').getByText('Karibu').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'email-message', look);
    await reading(page).getByRole('tab', { name: 'Details' }).click();
    await reading(page).getByText('None so far.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'email-details', look);

    await page.goto('/email?compose=1');
    await compose(page).getByText('later.example is pending.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'email-compose', look);
    await compose(page).getByRole('button', { name: 'Send now' }).click();
    await compose(page).getByText('Enter a subject.').waitFor();
    await compose(page)
      .getByRole('radio', { name: /Queue with retries/ })
      .click();
    await expectAccessible(page);
    await screenshot(page, 'email-compose-queue', look);
    await page.keyboard.press('Escape');

    await suppress(person, 'gone@example.com');
    await page.goto('/email?folder=suppressed');
    await page.getByText('gone@example.com').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'email-suppressed', look);

    await page.route('**/email/messages?*', (route) => {
      const error = { code: 'unavailable', message: 'The service cannot reach its database.', request_id: 'req-503' };
      return route.fulfill({ status: 503, contentType: 'application/json', body: JSON.stringify({ error }) });
    });
    await page.goto('/email?folder=bounced');
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'email-error', look);
    await page.unroute('**/email/messages?*');
    await page.route('**/email/messages?*', () => undefined);
    await page.goto('/email');
    await page.getByText(/Loading Emails/).waitFor({ state: 'attached' });
    await screenshot(page, 'email-loading', look);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});
