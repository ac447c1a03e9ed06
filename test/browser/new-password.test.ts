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

/** Where the link leads that was mailed to them; undefined before it is. */
async function mailedPath({ email }: Person): Promise<string | undefined> {
  const names = await readdir(mailDir);
  const mails = await Promise.all(names.map((name) => readFile(join(mailDir, name), 'utf8')));
  const link = mails.find((mail) => mail.startsWith(`To: ${email}\n`))?.match(/^https?:\S+\/reset#token=[\w-]{43}$/m);
  return link ? pathOf(link[0]) : undefined;
}

describe('a new password', () => {
  const askFor = async (person: Person) => {
    const page = await openPage('/login?forgot=1');
    await page.getByLabel('Email').fill(person.email);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();
    return until('the mail', () => mailedPath(person));
  };

  it('is set by the link in the mail, which works once, and is the one to sign in with', async () => {
    const person = await register(api().call);
    const path = await askFor(person);
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
    await again.getByRole('alert').getByText('ask for a new one').waitFor();
    await again.getByRole('link', { name: 'Ask for another link' }).click();
    await again.getByRole('button', { name: 'Send the link' }).waitFor();
  });

  it('of somebody who is in no organization any more is set, and they are told why that is all', async () => {
    const person = await register(api().call);
    const path = await askFor(person);
    await world().db.membership.deleteMany({ where: { orgId: person.orgId } });
    const page = await openPage(path);
    await page.getByLabel('New password').fill('another horse');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByRole('heading', { name: 'The password is set' }).waitFor();
    await page.getByText(/in no organization/).waitFor();
  });

  it('is offered to everybody, and nobody is told who has an account', async () => {
    const page = await openPage('/login');
    await page.getByRole('link', { name: 'Forgot it?' }).click();
    await page.getByLabel('Email').fill('nobody@example.com');
    await page.getByRole('button', { name: 'Send the link' }).click();

    await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();
    await page.getByText('If nobody@example.com has an account here').waitFor();
    const heading = page.getByRole('heading', { level: 1 }); // the form, which had the focus, is gone
    await until('the focus is there', () => heading.evaluate((h1) => h1 === document.activeElement));
  });

  it('is not asked for where the link is cut off', async () => {
    const page = await openPage('/reset');
    await page.getByRole('heading', { name: 'This link is not whole' }).waitFor();
    await page.getByRole('link', { name: 'Ask for another link' }).waitFor();
  });
});
