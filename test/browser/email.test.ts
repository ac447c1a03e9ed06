import { newId } from '@jobline/runtime';
import { describe, expect, it } from 'vitest';
import { register, until } from '../harness/index.js';
import { addDomain, compose, HTML, plant, reading, rows, suppress } from './email-support.js';
import { expectAccessibleInEveryLook, screenshotEveryLook } from './looks.js';
import { passTime } from './page-pool.js';
import { usePages } from './support.js';

const pages = usePages();
const { allow, api, openPageAs } = pages;

describe('the list of emails', () => {
  it('the keys j and k move in the list of emails, Enter opens an email, and u returns to the list', async () => {
    const person = await register(api().call);
    for (const subject of ['Third', 'Second', 'First']) await plant(pages, person, { subject });
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

  it('emails are searched by recipient, by words of the subject and by job, and the URL keeps the filters', async () => {
    const person = await register(api().call);
    await plant(pages, person, { subject: 'Invoice 12', recipient: 'ada@example.com' });
    await plant(pages, person, { subject: 'Invoice 13', recipient: 'bob@example.com' });
    await plant(pages, person, { subject: 'Welcome', recipient: 'ada@example.com', status: 'bounced' });
    const page = await openPageAs(person, '/email');
    const search = async (label: string, text: string) => {
      await page.getByLabel(label, { exact: true }).fill(text);
      await page.keyboard.press('Enter');
    };
    const listed = (subjects: string[]) =>
      until(subjects.join(), async () => {
        const texts = await rows(page).allInnerTexts();
        return texts.length === subjects.length && subjects.every((subject, n) => texts[n]?.includes(subject));
      });
    await search('Recipient', 'ADA@example.com');
    await listed(['Welcome', 'Invoice 12']);
    await search('Subject', 'inv');
    await listed(['Invoice 12']);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ to: 'ADA@example.com', q: 'inv' });
    await page.reload();
    await listed(['Invoice 12']);
    await rows(page).first().getByRole('link').click();
    await reading(page).getByRole('heading', { name: 'Invoice 12' }).waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('inv');
    await page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: 'Bounced' }).click();
    await page.getByText('No emails match.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await listed(['Welcome']);
    await page.goto('/email?job=no-such-job');
    await page.getByText('No emails match.').waitFor();
    await page.getByRole('button', { name: 'Remove filter Job' }).click();
    await until('all are listed', async () => (await rows(page).count()) === 3);
  });

  it('a bounced email shows its reason in the list and first in the message, with its suppression', async () => {
    const owner = await register(api().call);
    const reason = '550 5.1.1 the mailbox does not exist';
    const failure = { status: 'bounced', errorCode: 'bounced', errorMessage: reason };
    const id = await plant(pages, owner, { ...failure, recipient: 'gone@example.com', template: 'welcome' });
    await suppress(pages, owner, 'gone@example.com');
    await suppress(pages, owner, 'other@example.com');
    const page = await openPageAs(owner, `/email?id=${id}`);
    await rows(page).first().getByText(reason).waitFor();
    await reading(page).getByText('The recipient’s server returned the email').waitFor();
    await reading(page).getByText(reason).waitFor();
    await reading(page)
      .getByText(/gone@example.com is suppressed since/)
      .waitFor();
    await reading(page).getByRole('tab', { name: 'Details' }).click();
    const template = reading(page).getByRole('link', { name: 'welcome' });
    expect(await template.getAttribute('href')).toBe('/templates?name=welcome');
    await reading(page).getByRole('button', { name: 'Remove the suppression' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    // While it is open, roles outside of it are hidden.
    await dialog.waitFor({ state: 'detached' });
    await reading(page)
      .getByText(/is suppressed since/)
      .waitFor({ state: 'detached' });
    const left = (await owner.get('/org/suppressions')).body;
    expect(left).toMatchObject([{ address: 'other@example.com' }]);

    const member = await pages.memberOf(owner);
    await suppress(pages, owner, 'gone@example.com');
    const other = await openPageAs(member, `/email?id=${id}`);
    await reading(other).getByText(reason).waitFor();
    expect(await reading(other).getByRole('button', { name: 'Remove the suppression' }).count()).toBe(0);
  });

  it('older emails are appended to the list', async () => {
    const person = await register(api().call);
    const at = Date.now();
    for (let n = 0; n < 55; n++)
      await plant(pages, person, { subject: `Mail ${n}`, createdAt: new Date(at - n * 1_000) });
    const page = await openPageAs(person, '/email');
    await page.getByRole('button', { name: 'Load 50 older' }).click();
    await page.getByText('55 emails in total').waitFor();
    expect(await rows(page).count()).toBe(55);
  });

  it('new emails are shown only on request and move no row, even if the first email was deleted', async () => {
    const person = await register(api().call);
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    const top = await plant(pages, person, { subject: 'Gone soon', createdAt: ago(1) });
    await plant(pages, person, { subject: 'The first', createdAt: ago(3) });
    await plant(pages, person, { subject: 'The last', createdAt: ago(9) });
    const page = await openPageAs(person, '/email', { hasClock: true });
    await rows(page).nth(2).waitFor();
    const y = async () => (await rows(page).first().boundingBox())?.y;
    const before = await y();
    await pages.world().db.message.delete({ where: { id: top } });
    await plant(pages, person, { subject: 'On top', createdAt: ago(2) });
    await plant(pages, person, { subject: 'In between', createdAt: ago(5) });
    const more = page.getByRole('button', { name: '2 new emails' });
    await until('the new emails are offered', async () => {
      await page.clock.fastForward(1_000); // recently loaded data is not refetched
      // As if the user returned to the tab.
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
      return more.isVisible();
    });

    expect(await rows(page).count()).toBe(2);
    await rows(page).first().getByText('The first').waitFor();
    expect(await y()).toBe(before);
    await more.click();
    await rows(page).first().getByText('On top').waitFor();
    expect(await rows(page).count()).toBe(4);
  });

  it('the list of emails shows why it failed to load and loads after a retry', async () => {
    const person = await register(api().call);
    await plant(pages, person);
    allow(/status of 503/);
    const page = await openPageAs(person, '/sms', { hasClock: true });
    await page.route('**/email/messages?*', (route) => {
      const error = { code: 'unavailable', message: 'The service cannot reach its database.', request_id: 'req-503' };
      return route.fulfill({ status: 503, contentType: 'application/json', body: JSON.stringify({ error }) });
    });
    await page.goto('/email');
    await passTime(page, page.getByRole('alert').getByText('The service cannot reach its database.'));
    await page.unroute('**/email/messages?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await rows(page).first().waitFor();
  });

  it('on a phone, an email replaces the list and has a button back', async () => {
    const person = await register(api().call);
    await plant(pages, person);
    const page = await openPageAs(person, '/email', { width: 375 });
    await rows(page).first().getByRole('link').click();
    const heading = reading(page).getByRole('heading', { name: 'Invoice 12' });
    await heading.waitFor();
    await until('the message has the focus', () => heading.evaluate((h2) => h2 === document.activeElement));
    expect(await rows(page).first().isVisible()).toBe(false);
    await reading(page).getByRole('button', { name: 'Back' }).click();
    const opener = rows(page).first().getByRole('link');
    await until('its row has the focus', () => opener.evaluate((link) => link === document.activeElement));
  });

  it('an unknown email is reported as not found', async () => {
    const page = await openPageAs(await register(api().call), `/email?id=${newId()}`);
    await page.getByText('Email not found').waitFor();
  });
});

it('the email page is accessible in every theme and width: empty, full, composing and failed', async () => {
  const person = await register(api().call);
  allow(/status of 503/);
  const page = await openPageAs(person, '/email');
  await expectAccessibleInEveryLook(page, 'email-empty', page.getByText('Nothing sent yet'));

  await addDomain(pages, person, 'acme.example', true);
  await addDomain(pages, person, 'later.example', false);
  const template = { name: 'welcome', kind: 'email', subject: 'Hello {{ name }}', body: 'Hi {{ name }}' };
  await person.post('/org/templates', template);
  const statuses = ['delivered', 'bounced', 'complained', 'failed', 'queued', 'sent'] as const;
  for (const [n, status] of statuses.entries()) {
    const subject = n === 1 ? `A very long subject that goes on ${'and on '.repeat(20)}` : `Invoice ${n}`;
    const recipient = n === 1 ? `${'long.name'.repeat(6)}@example.com` : `bob-${n}@example.com`;
    await plant(pages, person, { status, subject, recipient, createdAt: new Date(Date.now() - (n + 1) * 400_000) });
  }
  const id = await plant(pages, person, {
    provider: 'sandbox',
    subject: 'Karibu',
    body: HTML,
    providerMessageId: null,
  });
  await page.goto('/email');
  await screenshotEveryLook(page, 'email-list', rows(page).nth(6));
  await page.goto(`/email?id=${id}`);
  const text = reading(page).frameLocator('iframe').getByText('Karibu');
  await expectAccessibleInEveryLook(page, 'email-message', text);
  await reading(page).getByRole('tab', { name: 'Details' }).click();
  await expectAccessibleInEveryLook(page, 'email-details', reading(page).getByRole('list', { name: 'Delivery' }));

  await page.goto('/email?compose=1');
  await expectAccessibleInEveryLook(page, 'email-compose', compose(page).getByText('later.example is pending.'));
  await compose(page).getByRole('button', { name: 'Send now' }).click();
  const missing = compose(page).getByText('Enter a subject.');
  await missing.waitFor();
  await compose(page)
    .getByRole('radio', { name: /Queue with retries/ })
    .click();
  await expectAccessibleInEveryLook(page, 'email-compose-queue', missing);
  await page.keyboard.press('Escape');

  await suppress(pages, person, 'gone@example.com');
  await page.goto('/email?folder=suppressed');
  await expectAccessibleInEveryLook(page, 'email-suppressed', page.getByText('gone@example.com'));

  await page.route('**/email/messages?*', (route) => {
    const error = { code: 'unavailable', message: 'The service cannot reach its database.', request_id: 'req-503' };
    return route.fulfill({ status: 503, contentType: 'application/json', body: JSON.stringify({ error }) });
  });
  await page.goto('/email?folder=bounced');
  await expectAccessibleInEveryLook(page, 'email-error', page.getByRole('button', { name: 'Try again' }));
  await page.unroute('**/email/messages?*');
  await page.route('**/email/messages?*', () => undefined);
  await page.goto('/email');
  await page.getByText(/Loading Emails/).waitFor({ state: 'attached' });
  await screenshotEveryLook(page, 'email-loading', page.getByRole('heading', { level: 1 }));
});
