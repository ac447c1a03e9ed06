import { describe, expect, it } from 'vitest';
import { addMember } from '../api/support.js';
import { register, until } from '../harness/index.js';
import { addDomain, compose, reading, rows, suppress, write, writeAs } from './email-support.js';
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
  const WELCOME = {
    name: 'welcome',
    kind: 'email',
    subject: 'Welcome {{ name }}',
    body: '<p>Hello {{ name }}, order {{ order.id }}</p>',
    sample: { order: { id: 'A-1' } },
  };

  it('a template has a field for each value, names the empty ones, and fills subject and body', async () => {
    const person = await register(api().call);
    await person.post('/org/templates', WELCOME);
    const page = await writeAs(pages, person);
    await compose(page).getByRole('button', { name: 'Use a template' }).click();
    await page.getByRole('menuitem', { name: 'welcome' }).click();
    const fill = page.getByRole('dialog', { name: 'Fill “welcome”' });
    await fill.getByText('Left empty: name, order').waitFor();
    await fill.getByLabel('name').fill('Ada');
    await fill.getByLabel('order.id').fill('B-2');
    await fill.frameLocator('iframe').getByText('Hello Ada, order B-2').waitFor();
    await fill.getByRole('button', { name: 'Edit as JSON' }).click();
    const json = fill.getByLabel('Data (JSON)');
    expect(JSON.parse(await json.inputValue())).toEqual({ name: 'Ada', order: { id: 'B-2' } });
    await fill.getByRole('button', { name: 'Edit as fields' }).click();
    await fill.getByRole('button', { name: 'Use the example data' }).click();
    await fill.getByText('Left empty: name').waitFor();
    await fill.getByLabel('name').fill('Grace');
    await fill.getByText('Welcome Grace').waitFor();
    await fill.getByRole('button', { name: 'Use this text' }).click();

    await fill.waitFor({ state: 'detached' });
    expect(await compose(page).getByLabel('Subject').inputValue()).toBe('Welcome Grace');
    expect(await compose(page).getByLabel('Body', { exact: true }).inputValue()).toBe('<p>Hello Grace, order A-1</p>');
    expect(new URL(page.url()).searchParams.get('template')).toBeNull();
    expect((await person.get('/email/messages')).body).toEqual([]);
  });

  it('what a template replaced can be restored', async () => {
    const person = await register(api().call);
    const { body } = await person.post('/org/templates', { ...WELCOME, body: 'Hi' });
    const page = await writeAs(pages, person);
    await write(page, { subject: 'My own' });
    await until('the draft is stored', () =>
      page.evaluate(() => Object.values(sessionStorage).some((value) => value.includes('My own'))),
    );
    page.once('dialog', (dialog) => void dialog.accept());
    await page.goto(`/email?compose=1&template=${body.id}`);
    const fill = page.getByRole('dialog', { name: 'Fill “welcome”' });
    await fill.getByLabel('name').fill('Ada');
    await fill.getByText('Welcome Ada').waitFor();
    await fill.getByRole('button', { name: 'Use this text' }).click();
    await compose(page).getByRole('status').getByText('The template replaced your text').waitFor();
    expect(await compose(page).getByLabel('Subject').inputValue()).toBe('Welcome Ada');
    await compose(page).getByRole('button', { name: 'Undo' }).click();
    expect(await compose(page).getByLabel('Subject').inputValue()).toBe('My own');
    expect(await compose(page).getByLabel('Body', { exact: true }).inputValue()).toBe('Hi Ada');
  });
});

describe('a test of an email', () => {
  it('a test goes to the signed-in person alone, names its sender, and keeps the draft', async () => {
    const person = await register(api().call);
    await addDomain(pages, person, 'acme.example', true);
    const page = await writeAs(pages, person);
    await compose(page).getByRole('button', { name: 'Send test' }).click();
    await compose(page).getByText('Enter a subject.').waitFor();
    await write(page, { subject: 'A test' });
    await compose(page).getByRole('button', { name: 'Cc, Bcc, Reply-To' }).click();
    await compose(page).getByLabel('Cc', { exact: true }).fill('bob@example.com ');
    await compose(page).getByRole('button', { name: 'Send test' }).click();
    const test = page.getByRole('dialog', { name: 'Send a test' });
    await test.getByText('From the default sender: sandbox@jobline.invalid').waitFor();
    expect(await test.getByLabel('To', { exact: true }).inputValue()).toBe(person.email);
    await test.getByRole('button', { name: 'Send test' }).click();

    await page.getByText('Test recorded, not sent').first().waitFor();
    expect((await person.get('/email/messages')).body).toMatchObject([{ to: person.email, subject: 'A test' }]);
    expect(await compose(page).getByLabel('To', { exact: true }).inputValue()).toBe('ada@example.com');
    await compose(page).getByRole('button', { name: 'Close' }).click();
    await rows(page).first().getByText('A test').waitFor();
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
