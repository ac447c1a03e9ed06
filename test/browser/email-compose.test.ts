import type { Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { addMember } from '../api/support.js';
import { register, until } from '../harness/index.js';
import { addDomain, compose, reading, suppress, write, writeAs } from './email-support.js';
import { usePages } from './support.js';

const pages = usePages();
const { allow, api, openPageAs, world } = pages;

describe('the sender field', () => {
  it('the sender is the default or a name at a verified domain, and pending domains link to their verification', async () => {
    const person = await register(api().call);
    await addDomain(pages, person, 'acme.example', true);
    await addDomain(pages, person, 'later.example', false);
    const page = await writeAs(pages, person);
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

  it('a domain that is no longer verified is rejected with a link to verify it', async () => {
    const person = await register(api().call);
    await addDomain(pages, person, 'acme.example', true);
    const page = await writeAs(pages, person);
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

describe('the template picker', () => {
  it('a template lists its variables, reports missing values, and fills subject and body', async () => {
    const person = await register(api().call);
    const body = '<p>Hello {{ name }}</p>';
    await person.post('/org/templates', { name: 'welcome', kind: 'email', subject: 'Welcome {{ name }}', body });
    const page = await writeAs(pages, person);
    await compose(page).getByRole('combobox', { name: 'Template' }).click();
    await page.getByRole('option', { name: /welcome/ }).click();
    const data = compose(page).getByLabel('Data');
    expect(JSON.parse(await data.inputValue())).toEqual({ name: '' });
    await compose(page).getByRole('button', { name: 'Fill in' }).click();
    await compose(page).getByText('name has no value. Press “Fill in” again to leave it empty.').waitFor();
    expect(await compose(page).getByLabel('Subject').inputValue()).toBe('');
    await data.fill('{}');
    await compose(page).getByRole('button', { name: 'Fill in' }).click();
    await compose(page).getByText('The data has no value for name.').waitFor();
    await data.fill('{"name": "Ada"}');
    await compose(page).getByRole('button', { name: 'Fill in' }).click();

    await until(
      'the subject is filled',
      async () => (await compose(page).getByLabel('Subject').inputValue()) === 'Welcome Ada',
    );
    expect(await compose(page).getByLabel('Body', { exact: true }).inputValue()).toBe('<p>Hello Ada</p>');
    await compose(page).getByRole('radio', { name: 'Preview' }).click();
    await compose(page).frameLocator('iframe').getByText('Hello Ada').waitFor();

    // The replaced text can be restored in the form, where no toast covers the send button.
    await compose(page).getByLabel('Subject').fill('My own');
    await compose(page).getByRole('combobox', { name: 'Template' }).click();
    await page.getByRole('option', { name: /welcome/ }).click();
    await data.fill('{"name": "Grace"}');
    await compose(page).getByRole('button', { name: 'Fill in' }).click();
    await compose(page).getByRole('status').getByText('Subject and body were replaced').waitFor();
    expect(await compose(page).getByLabel('Subject').inputValue()).toBe('Welcome Grace');
    await compose(page).getByRole('button', { name: 'Undo' }).click();
    expect(await compose(page).getByLabel('Subject').inputValue()).toBe('My own');
    expect(await compose(page).getByText('Subject and body were replaced').count()).toBe(0);
  });

  it('a variable may be left empty on purpose', async () => {
    const person = await register(api().call);
    await person.post('/org/templates', { name: 'plain', kind: 'email', subject: 'Hello{{ name }}', body: 'Hi' });
    const page = await writeAs(pages, person);
    await compose(page).getByRole('combobox', { name: 'Template' }).click();
    await page.getByRole('option', { name: /plain/ }).click();
    for (let n = 0; n < 2; n++) await compose(page).getByRole('button', { name: 'Fill in' }).click();
    await until(
      'the subject is filled',
      async () => (await compose(page).getByLabel('Subject').inputValue()) === 'Hello',
    );
  });

  it('a late preview of a template that is no longer selected is ignored', async () => {
    const person = await register(api().call);
    for (const name of ['first', 'second']) {
      await person.post('/org/templates', { name, kind: 'email', subject: `The ${name}`, body: 'Hi {{ name }}' });
    }
    const page = await writeAs(pages, person);
    const choose = async (name: RegExp) => {
      await compose(page).getByRole('combobox', { name: 'Template' }).click();
      await page.getByRole('option', { name }).click();
    };
    let held: Route | null = null;
    await page.route('**/preview', (route) => {
      held = route;
    });
    await choose(/first/);
    await compose(page).getByLabel('Data').fill('{"name": "Ada"}');
    await compose(page).getByRole('button', { name: 'Fill in' }).click();
    const first = await until('the preview is requested', () => held);
    await choose(/None/);
    await choose(/second/);
    const answered = page.waitForResponse('**/preview');
    await first.continue();
    await (await answered).finished();

    await compose(page).getByLabel('Data').fill('{"name": "Grace"}');
    expect(await compose(page).getByLabel('Subject').inputValue()).toBe('');
    await page.unroute('**/preview');
    await compose(page).getByRole('button', { name: 'Fill in' }).click();
    await until(
      'the subject is filled',
      async () => (await compose(page).getByLabel('Subject').inputValue()) === 'The second',
    );
  });
});

describe('the email draft', () => {
  it('a draft is kept when the panel closes, is listed in Drafts, and can be restored after discarding', async () => {
    const page = await writeAs(pages, await register(api().call));
    await write(page, { subject: 'Half a thought' });
    await page.keyboard.press('Escape');
    await compose(page).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /Drafts/ }).click();
    await page.getByRole('list', { name: 'Drafts' }).getByText('Half a thought').waitFor();
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await compose(page).getByRole('button', { name: 'Discard' }).click();
    await page.getByText('No draft', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();

    await compose(page).waitFor();
    expect(await compose(page).getByLabel('Subject').inputValue()).toBe('Half a thought');
  });

  it('a discarded draft can be restored from another page', async () => {
    const page = await writeAs(pages, await register(api().call));
    await write(page, { subject: 'Half a thought' });
    await compose(page).getByRole('button', { name: 'Discard' }).click();
    await compose(page).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Templates' }).click();
    await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();

    await compose(page).waitFor();
    expect(await compose(page).getByLabel('Subject').inputValue()).toBe('Half a thought');
  });
});

describe('suppressed recipients', () => {
  it('sending to a suppressed recipient is rejected, and an admin can remove the suppression', async () => {
    const person = await register(api().call);
    await suppress(pages, person, 'gone@example.com');
    const page = await writeAs(pages, person);
    await write(page, { to: 'gone@example.com' });
    await compose(page).getByRole('button', { name: 'Send now' }).click();
    await compose(page).getByRole('alert').getByText('gone@example.com is suppressed').waitFor();
    await compose(page).getByRole('button', { name: 'Remove the suppression' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await compose(page).getByRole('alert').waitFor({ state: 'detached' });
    await compose(page).getByRole('button', { name: 'Send now' }).click();

    await reading(page).getByText('gone@example.com').first().waitFor();
  });

  it('admins see suppressed addresses and can remove them after a confirmation', async () => {
    const owner = await register(api().call);
    await suppress(pages, owner, 'gone@example.com');
    const admin = await addMember(world(), api(), owner.orgId, 'admin');
    const page = await openPageAs(admin, '/email');
    await page.getByRole('link', { name: 'Suppressed' }).click();
    await page
      .getByRole('row', { name: /gone@example.com/ })
      .getByText('Bounced')
      .waitFor();
    await page.getByRole('button', { name: 'Remove gone@example.com' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();

    await page.getByText('No suppressed addresses').waitFor();
    const heading = page.getByRole('heading', { level: 1 }); // the row with the focused button is gone
    await until('the heading has the focus', () => heading.evaluate((h1) => h1 === document.activeElement));
    expect((await owner.get('/org/suppressions')).body).toEqual([]);
  });

  it('a failed removal shows its error, which is gone when another address is selected', async () => {
    allow(/status of 503/);
    const owner = await register(api().call);
    await suppress(pages, owner, 'one@example.com');
    await suppress(pages, owner, 'two@example.com');
    const page = await openPageAs(owner, '/email?folder=suppressed');
    await page.getByText('2 addresses in total').waitFor();
    const error = { code: 'unavailable', message: 'The service cannot reach its database.', request_id: 'req-503' };
    await page.route('**/org/suppressions/*', (route) => route.fulfill({ status: 503, json: { error } }));
    const question = page.getByRole('alertdialog');
    await page.getByRole('button', { name: 'Remove one@example.com' }).click();
    await question.getByRole('button', { name: 'Remove' }).click();
    await question.getByText('The service cannot reach its database.').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Remove two@example.com' }).click();

    await question.getByText('two@example.com').waitFor();
    expect(await question.getByText('The service cannot reach its database.').count()).toBe(0);
  });

  it('a member cannot remove a suppression and sees whom to ask', async () => {
    const owner = await register(api().call);
    await suppress(pages, owner, 'gone@example.com');
    const member = await addMember(world(), api(), owner.orgId, 'member');
    const page = await writeAs(pages, member);
    await write(page, { to: 'gone@example.com' });
    await compose(page).getByRole('button', { name: 'Send now' }).click();
    await compose(page).getByText('An owner or admin can remove the suppression.').waitFor();
    expect(await compose(page).getByRole('button', { name: 'Remove the suppression' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('link', { name: 'Suppressed' }).count()).toBe(0);
  });
});
