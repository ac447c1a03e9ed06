import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { type Person, register, until } from '../harness/index.js';
import { fillLogin, usePages } from './support.js';
import { pathOf } from './team-support.js';

let mailDir: string;
const { api, openPage, world } = usePages(async () => {
  mailDir = await mkdtemp(join(tmpdir(), 'jobline-mail-'));
  return { providers: { EMAIL_SANDBOX_DIR: mailDir } };
});
afterAll(() => rm(mailDir, { recursive: true, force: true }));

/** Returns the path of the emailed reset link; undefined if there is no email yet. */
async function mailedPath({ email }: Person): Promise<string | undefined> {
  const names = await readdir(mailDir);
  const mails = await Promise.all(names.map((name) => readFile(join(mailDir, name), 'utf8')));
  const own = mails.filter((mail) => mail.startsWith(`To: ${email}\n`)).join('\n');
  const link = own.match(/^https?:\S+\/reset#token=[\w-]{43}$/m);
  return link ? pathOf(link[0]) : undefined;
}

describe('the password reset', () => {
  const requestReset = async (person: Person) => {
    const page = await openPage('/login?forgot=1');
    await page.getByLabel('Email').fill(person.email);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    return until('the email has arrived', () => mailedPath(person));
  };

  it('the emailed link sets a new password and works only once', async () => {
    const person = await register(api().call);
    const path = await requestReset(person);
    const page = await openPage(path);
    await page.getByLabel('New password').fill('another horse');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    await page.getByRole('button', { name: `Account: ${person.email}` }).waitFor();

    const elsewhere = await openPage('/login');
    await fillLogin(elsewhere, person);
    await elsewhere.getByRole('alert').getByText('The email address or the password is wrong.').waitFor();
    await fillLogin(elsewhere, { ...person, password: 'another horse' });
    await elsewhere.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();

    const again = await openPage(path);
    await again.getByLabel('New password').fill('a third horse');
    await again.getByRole('button', { name: 'Set the password' }).click();
    await again.getByRole('alert').getByText('request a new one').waitFor();
    await again.getByRole('link', { name: 'Request a new link' }).click();
    await again.getByRole('button', { name: 'Send the link' }).waitFor();
  });

  it('a user without an organization can set a password and sees why they cannot sign in', async () => {
    const person = await register(api().call);
    const path = await requestReset(person);
    await world().db.membership.deleteMany({ where: { orgId: person.orgId } });
    const page = await openPage(path);
    await page.getByLabel('New password').fill('another horse');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByRole('heading', { name: 'The password is set' }).waitFor();
    await page.getByText(/not a member of any organization/).waitFor();
  });

  it('the password reset does not reveal whether an address has an account', async () => {
    const page = await openPage('/login');
    await page.getByRole('link', { name: 'Forgot password?' }).click();
    await page.getByLabel('Email').fill('unknown@example.com');
    await page.getByRole('button', { name: 'Send the link' }).click();

    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    await page.getByText('If unknown@example.com has an account').waitFor();
    const heading = page.getByRole('heading', { level: 1 }); // the form with the focused field is gone
    await until('the heading has the focus', () => heading.evaluate((h1) => h1 === document.activeElement));
  });

  it('an incomplete reset link shows no password field', async () => {
    const page = await openPage('/reset');
    await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
    await page.getByRole('link', { name: 'Request a new link' }).waitFor();
  });
});
