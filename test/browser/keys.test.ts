import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Person, register, until } from '../harness/index.js';
import { expectAccessibleInEveryLook } from './looks.js';
import { passTime } from './page-pool.js';
import { usePages } from './support.js';
import { addMember, clipboard, fail, hold } from './team-support.js';

const { allow, api, openPageAs, world } = usePages();

const main = (page: Page) => page.getByRole('main');
const makeKey = async (person: Person, name: string) => (await person.post('/org/api-keys', { name })).body;

async function createKey(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Create key' }).first().click();
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('dialog', { name: `Key “${name}”` }).waitFor();
}

describe('an API key', () => {
  it('a new key is shown once, gives a program access, shows its last use, and is rejected after it is revoked', async () => {
    const page = await openPageAs(await register(api().call), '/keys');
    await page.getByText('No keys.').waitFor();
    await createKey(page, 'backend');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Copy key' }).click();
    const key = await clipboard(page);
    expect(key).toMatch(/^jl_\w{36}$/);
    expect(await dialog.getByRole('group', { name: 'curl' }).textContent()).toContain(`-H 'X-API-Key: ${key}'`);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(key);
    const lastUsed = page
      .getByRole('row', { name: /backend/ })
      .getByRole('cell')
      .nth(4);
    await lastUsed.getByText('never').waitFor();

    const job = { type: 'generate_pdf', payload: { template: 'invoice' } };
    expect((await api().call('POST', '/jobs', { key, body: job })).status).toBe(202);
    await until(
      'the last use is recorded',
      async () => (await world().db.apiKey.count({ where: { lastUsedAt: null } })) === 0,
    );
    await page.reload();
    await lastUsed.getByText(/ago|now/).waitFor();

    await page.getByRole('button', { name: 'Revoke backend' }).click();
    await page.getByRole('alertdialog', { name: 'Revoke “backend”?' }).getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No keys.').waitFor();
    expect((await api().call('GET', '/jobs', { key })).status).toBe(401);
    const heading = page.getByRole('heading', { level: 1 }); // the row with the focused button is gone
    await until('the heading has the focus', () => heading.evaluate((h1) => h1 === document.activeElement));
  });

  it('closing without copying a new key asks for a confirmation, and the key is not stored in the browser', async () => {
    const page = await openPageAs(await register(api().call), '/keys');
    await createKey(page, 'hasty');
    const key =
      (await page
        .getByRole('dialog')
        .getByText(/^jl_\w{36}$/)
        .textContent()) ?? '';
    await page.keyboard.press('Escape');
    const question = page.getByRole('alertdialog', { name: 'Close without the key?' });
    await question.getByRole('button', { name: 'Go back' }).click();
    await page.getByText(key, { exact: true }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await question.getByRole('button', { name: 'Close without it' }).click();

    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /hasty/ }).waitFor();
    const stored = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]),
    );
    expect(key).not.toBe('');
    expect(stored).not.toContain(key);
  });

  it('leaving while a key is created or not copied asks for a confirmation', async () => {
    const page = await openPageAs(await register(api().call), '/domains');
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.getByText('No keys.').waitFor();
    const release = await hold(page, '**/org/api-keys');
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'Create key' });
    await dialog.getByLabel('Name').fill('slow');
    await page.keyboard.press('Enter');
    await until('the request is running', async () => (await dialog.locator('[aria-busy=true]').count()) > 0);
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    const question = page.getByRole('alertdialog', { name: 'Close without the key?' });
    await page.goBack();
    await question.getByRole('button', { name: 'Go back' }).click();
    release();
    await page.getByRole('dialog', { name: 'Key “slow”' }).waitFor();

    await page.goBack();
    await question.getByRole('button', { name: 'Go back' }).click();
    await page.getByText(/^jl_\w{36}$/).waitFor();
    await page.goBack();
    await question.getByRole('button', { name: 'Close without it' }).click();
    await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
  });

  it('the keys of a removed member are listed by the filter on their creator', async () => {
    const owner = await register(api().call);
    const gone = await addMember(api(), owner, 'gone@acme.example', 'admin');
    await gone.post('/org/api-keys', { name: 'left behind' });
    await makeKey(owner, 'own');
    const { user } = (await gone.get('/auth/me')).body;
    await api().call('DELETE', `/org/members/${user.id}`, { token: owner.token });
    const page = await openPageAs(owner, `/keys?created_by=${user.id}`);

    await page.getByRole('row', { name: /left behind.*gone@acme.example \(removed\)/ }).waitFor();
    expect(await page.getByRole('row', { name: /own/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Remove filter Created by' }).click();
    await page.getByRole('row', { name: /own.*You/ }).waitFor();
  });
});

describe('the webhook secret', () => {
  it('the webhook secret is loaded on request, and a rotation says until when the old secret is valid', async () => {
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/keys');
    const panel = page.getByRole('region', { name: 'Webhook secret' });
    await panel.waitFor();
    expect(await panel.getByText(/^whsec_\w/).count()).toBe(0);
    await panel.getByRole('button', { name: 'Show' }).click();
    await panel.getByRole('button', { name: 'Copy secret' }).click();
    const first = await clipboard(page);
    expect(first).toBe((await owner.get('/org/webhook-secret')).body.secret);

    await panel.getByRole('button', { name: 'Rotate' }).click();
    const question = page.getByRole('alertdialog', { name: 'Rotate the webhook secret?' });
    await question.getByText(/24 hours/).waitFor();
    await question.getByRole('button', { name: 'Rotate' }).click();
    await panel.getByText(/also signed with the old secret until/).waitFor();
    const second = (await owner.get('/org/webhook-secret')).body.secret;
    expect(second).not.toBe(first);
    await panel.getByText(second).waitFor();
    await panel.getByRole('button', { name: 'Hide' }).click();
    expect(await page.content()).not.toContain(second);
  });
});

describe('the keys page', () => {
  it('the keys page works with the keyboard only and restores the focus', async () => {
    const page = await openPageAs(await register(api().call), '/keys');
    await page.getByText('No keys.').waitFor();
    await page.getByRole('button', { name: 'Create key' }).first().focus();
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'Create key' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Name', description: /Enter a name/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const button = page.getByRole('button', { name: 'Create key' }).first();
    await until('the focus has returned', () => button.evaluate((element) => element === document.activeElement));
  });

  it('only owners and admins can see the keys page', async () => {
    const owner = await register(api().call);
    const page = await openPageAs(await addMember(api(), owner, 'm@keys.example', 'member'), '/keys');
    await page.getByText(/Only owners and admins of .* can see this page/).waitFor();
    const admin = await openPageAs(await addMember(api(), owner, 'a@keys.example', 'admin'), '/keys');
    await main(admin).getByRole('button', { name: 'Create key' }).first().waitFor();
  });

  it('the keys page shows loading and error states and can retry', async () => {
    allow(/status of 503/);
    const owner = await register(api().call);
    await makeKey(owner, 'there');
    const page = await openPageAs(owner, '/domains', { hasClock: true });
    const release = await hold(page, '**/org/api-keys*');
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.getByRole('status').getByText('Loading API keys').waitFor();
    release();
    await page.getByRole('row', { name: /there/ }).waitFor();

    await fail(page, '**/org/api-keys*');
    await page.reload();
    await passTime(page, page.getByRole('alert').getByText('Postgres is unavailable'));
    await page.unroute('**/org/api-keys*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('row', { name: /there/ }).waitFor();
  });
});

it('the keys page is accessible in every theme and width: empty, full and with a new key', async () => {
  const owner = await register(api().call);
  const page = await openPageAs(owner, '/keys');
  await expectAccessibleInEveryLook(page, 'keys-empty', page.getByText('No keys.'));
  for (const name of ['backend', 'nightly import of everything that the warehouse has written down since '.repeat(2)]) {
    await makeKey(owner, name);
  }
  await page.reload();
  await main(page).getByText('backend').waitFor();
  await page.getByRole('button', { name: 'Show' }).click();
  await expectAccessibleInEveryLook(page, 'keys', page.getByRole('button', { name: 'Copy secret' }));
  await createKey(page, 'reporting');
  await expectAccessibleInEveryLook(page, 'keys-new', page.getByRole('dialog', { name: 'Key “reporting”' }));
});
