import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { letTimePass } from '../harness/index.js';
import { compose, reading, write } from './email-support.js';
import { isLive, rows } from './jobs-support.js';
import { expectAccessible, screenshot } from './looks.js';
import { passTime } from './page-pool.js';
import { usePages } from './support.js';
import { clipboard } from './team-support.js';

const { openPage, world } = usePages();

beforeAll(() => world().worker({}));

function goTo(page: Page, name: string): Promise<void> {
  return page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
}

// The first day of a user, using only what the pages show.
it('a new user registers, runs a job, sends an email and an SMS, and invites and removes a member', async () => {
  const page = await openPage('/', { hasClock: true });
  await page.getByRole('link', { name: 'Register' }).click();
  await page.getByLabel('Organization').fill('Acme');
  await page.getByLabel('Email').fill('ada@path.example');
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await page.getByRole('button', { name: 'Register' }).click();

  await isLive(page);
  await page.getByRole('button', { name: 'Run a sample job' }).click();
  await rows(page).getByText('Done').waitFor();
  await passTime(page, page.getByRole('link', { name: /^Done\s*1.*in 24 h/ })); // the tile is updated

  await goTo(page, 'Email');
  await page.getByRole('button', { name: 'Compose' }).first().click();
  await write(page, { subject: 'Karibu' });
  await compose(page).getByRole('button', { name: 'Send now' }).click();
  await reading(page).getByRole('heading', { name: 'Karibu' }).waitFor();
  await expectAccessible(page);

  await goTo(page, 'SMS');
  await page.getByLabel('To', { exact: true }).fill('+254711000111');
  await page.getByLabel('Message', { exact: true }).fill('Your code is 4711');
  await page.getByRole('button', { name: 'Send SMS' }).click();
  await page.getByRole('row').filter({ hasText: '+254711000111' }).getByText('Recorded, not sent').waitFor();

  await goTo(page, 'Team');
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByLabel('Email').fill('grace@path.example');
  await page.getByRole('button', { name: 'Create link' }).click();
  await page.getByRole('button', { name: 'Copy link' }).click();
  const { pathname, search } = new URL(await clipboard(page));
  await page.getByRole('button', { name: 'Done' }).click();

  const theirs = await openPage(pathname + search, { width: 375, theme: 'dark' });
  await theirs.getByLabel(/Choose a password/).fill('battery staple');
  await theirs.getByRole('button', { name: 'Join' }).click();
  await isLive(theirs);
  await theirs.getByRole('main').getByRole('link', { name: 'ai_summarize' }).waitFor();
  await expectAccessible(theirs);
  await screenshot(theirs, 'main-path-joined', { width: 375, theme: 'dark' });

  await page.reload();
  await page.getByRole('button', { name: 'Remove grace@path.example' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('grace@path.example is removed').waitFor();
  letTimePass(5_000); // how long an API process may cache a session
  await theirs.reload();
  await theirs.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  expect(await page.getByRole('button', { name: 'Account: ada@path.example' }).count()).toBe(1);
});
