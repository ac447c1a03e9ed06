import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { type NameServer, type Person, register, startNameServer, until } from '../harness/index.js';
import { DEFAULT_LOOK, expectAccessibleInEveryLook, screenshot } from './looks.js';
import { passTime } from './page-pool.js';
import { signIn, usePages } from './support.js';
import { addMember, clipboard, fail, hold } from './team-support.js';

let names: NameServer;
const { allow, api, context, openPageAs, world } = usePages(async () => {
  names = await startNameServer();
  return { dnsServers: [names.address] };
});
afterAll(() => names.close());

interface Domain {
  id: string;
  record: { name: string; value: string };
}

const addDomain = async (person: Person, domain: string): Promise<Domain> => {
  const answer = await person.post('/org/domains', { domain });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name.replaceAll('.', '\\.')) });

describe('the list of domains', () => {
  it('a new domain shows its DNS record, says why it is not verified yet, and can be verified', async () => {
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/domains');
    await page.getByText('Only the default sender works until a domain is verified.').waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Add domain' }).first().click();
    await page.getByLabel('Domain', { exact: true }).fill('nonsense');
    await page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click();
    await page.getByRole('textbox', { name: 'Domain', description: /must be a domain name/i }).waitFor();
    await page.getByLabel('Domain', { exact: true }).fill('Acme.example');
    await page.keyboard.press('Enter');

    const detail = page.getByRole('region', { name: 'acme.example' });
    await detail.waitFor();
    const { record } = (await owner.get('/org/domains')).body[0];
    await detail.getByText(record.name, { exact: true }).waitFor();
    await detail.getByText(record.value, { exact: true }).waitFor();
    await detail.getByRole('button', { name: 'Copy value' }).click();
    expect(await clipboard(page)).toBe(record.value);
    await detail.getByRole('button', { name: 'Copy name' }).click();
    await until('the name is copied', async () => (await clipboard(page)) === record.name);

    await detail.getByRole('button', { name: 'Verify' }).click();
    await detail.getByText(`There is no TXT record at ${record.name} yet.`).waitFor();
    names.publish(record.name, 'jobline-verify=another');
    await detail.getByRole('button', { name: 'Verify' }).click();
    await detail.getByText('but none with the value').waitFor();
    names.publish(record.name, record.value);
    await detail.getByRole('button', { name: 'Verify' }).click();
    await row(page, 'acme.example').getByText('Verified', { exact: true }).waitFor();
    await detail.getByText(/It stays verified/).waitFor();
    expect(await detail.getByRole('button', { name: 'Verify' }).count()).toBe(0);
  });

  it('a pending domain is checked automatically while its row is open: after 30 s, then less often', async () => {
    const owner = await register(api().call);
    const { id, record } = await addDomain(owner, 'patient.example');
    const page = await (await context()).newPage(); // an installed clock cannot be removed
    await signIn(page, owner);
    const lookups = () => names.asked.filter((name) => name === record.name).length;
    await page.clock.install();
    await page.goto(`/domains?id=${id}`);
    await page.getByRole('region', { name: 'patient.example' }).waitFor();
    expect(lookups()).toBe(0);
    await page.clock.fastForward(31_000);
    await page.getByText(/There is no TXT record/).waitFor();
    expect(lookups()).toBe(1);
    const answer = () => page.getByText(/Not found at/).textContent();
    const first = await answer();
    await page.clock.fastForward(1_800_000);
    // The time until the following lookup begins when the page has this answer.
    await until('the answer of the next lookup', async () => (await answer()) !== first);
    expect(lookups()).toBe(2);
    const seen = lookups();
    await page.clock.fastForward(200_000);
    expect(lookups()).toBe(seen);
    names.publish(record.name, record.value);
    await page.clock.fastForward(120_000);
    await row(page, 'patient.example').getByText('Verified', { exact: true }).waitFor();
  });

  it('removing a domain asks for a confirmation with its name and the effect', async () => {
    const owner = await register(api().call);
    const { id } = await addDomain(owner, 'old.example');
    const page = await openPageAs(owner, `/domains?id=${id}`);
    await page.getByRole('button', { name: 'Remove domain' }).click();
    const question = page.getByRole('alertdialog', { name: 'Remove old.example?' });
    await question.getByText(/including those of waiting jobs/).waitFor();
    await question.getByRole('button', { name: 'Remove' }).click();

    await page.getByText('Only the default sender works').waitFor();
    expect((await owner.get('/org/domains')).body).toEqual([]);
    expect(new URL(page.url()).search).toBe('');
  });

  it('a member can read domains and sender IDs but not change them', async () => {
    const owner = await register(api().call);
    const { id, record } = await addDomain(owner, 'read.example');
    await owner.post('/org/sender-ids', { sender_id: 'READER' });
    const page = await openPageAs(await addMember(api(), owner, 'm@domains.example', 'member'), `/domains?id=${id}`);
    await page.getByText(record.value, { exact: true }).waitFor();
    await page.getByText('Owners and admins can verify and remove this domain.').waitFor();
    await page.getByRole('tab', { name: 'Sender IDs' }).click();
    await row(page, 'READER').waitFor();
    expect(
      await page
        .getByRole('main')
        .getByRole('button', { name: /Add|Remove|Verify/ })
        .count(),
    ).toBe(0);
  });
});

describe('the list of sender IDs', () => {
  it('a sender ID is added, rejected if it is invalid or exists, and removed', async () => {
    const page = await openPageAs(await register(api().call), '/domains?tab=sender-ids');
    await page.getByText('No sender IDs.').waitFor();
    const add = async (name: string) => {
      await page.getByRole('main').getByRole('button', { name: 'Add sender ID' }).first().click();
      await page.getByLabel('Sender ID', { exact: true }).fill(name);
      await page.keyboard.press('Enter');
    };
    await add('far too long a name');
    await page.getByRole('textbox', { name: 'Sender ID', description: /must be 1 to 11/i }).waitFor();
    await page.getByLabel('Sender ID', { exact: true }).fill('ACME');
    await page.keyboard.press('Enter');
    await row(page, 'ACME').waitFor();
    await add('ACME');
    await page.getByRole('textbox', { name: 'Sender ID', description: /taken|already|there/i }).waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Remove ACME' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No sender IDs.').waitFor();
  });
});

describe('operator approval of sender IDs', () => {
  const pending = async (owner: Person, senderId: string) =>
    world().db.senderId.create({ data: { orgId: owner.orgId, senderId, status: 'pending' } });

  it('a pending sender ID is shown as pending and cannot be selected for an SMS', async () => {
    const owner = await register(api().call);
    await owner.post('/org/sender-ids', { sender_id: 'USABLE' });
    const page = await openPageAs(owner, '/domains?tab=sender-ids');
    await row(page, 'USABLE').waitFor();
    // Without pending sender IDs there is no status.
    expect(await page.getByRole('columnheader', { name: 'Status' }).count()).toBe(0);

    await pending(owner, 'WAITING');
    await page.reload();
    await row(page, 'WAITING').getByText('Pending', { exact: true }).waitFor();
    await row(page, 'USABLE').getByText('Approved', { exact: true }).waitFor();
    await page.goto('/sms');
    await page.getByLabel('From', { exact: true }).click();
    await page.getByRole('option', { name: 'USABLE' }).waitFor();
    expect(await page.getByRole('option', { name: 'WAITING' }).count()).toBe(0);
  });

  it('a pending sender ID is accessible in every theme and width', async () => {
    const owner = await register(api().call);
    await owner.post('/org/sender-ids', { sender_id: 'SHOWN' });
    await pending(owner, 'WAITS');
    const page = await openPageAs(owner, '/domains?tab=sender-ids');
    await expectAccessibleInEveryLook(page, 'senders-pending', page.getByText('Pending', { exact: true }));
  });

  it('a new sender ID is shown as pending if the operator must approve it', async () => {
    const strict = await world().api({ settings: { senderIds: 'approved' } });
    const owner = await register(strict.call);
    const page = await openPageAs(owner, '/domains?tab=sender-ids');
    // The page belongs to another API, so the response of the strict API is substituted.
    await page.route('**/org/sender-ids', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      const body = route.request().postDataJSON();
      const answer = await strict.call('POST', '/org/sender-ids', { token: owner.token, body });
      await route.fulfill({ status: answer.status, contentType: 'application/json', body: answer.text });
    });
    await page.getByRole('main').getByRole('button', { name: 'Add sender ID' }).first().click();
    await page.getByLabel('Sender ID', { exact: true }).fill('NEWCOMER');
    await page.keyboard.press('Enter');

    await page.getByText('It can be used once the operator approves it.').first().waitFor();
    await row(page, 'NEWCOMER').getByText('Pending', { exact: true }).waitFor();
  });
});

describe('the domains page', () => {
  it('the domains page works with the keyboard only', async () => {
    const owner = await register(api().call);
    await addDomain(owner, 'first.example');
    await addDomain(owner, 'second.example');
    const page = await openPageAs(owner, '/domains');
    await row(page, 'second.example').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'first.example' }).waitFor();
    expect(await page.getByRole('link', { name: 'first.example' }).getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'first.example' }).waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'Add domain' }).waitFor();
    await page.keyboard.press('Escape');
    const link = page.getByRole('link', { name: 'first.example' });
    await until('the focus has returned', () => link.evaluate((element) => element === document.activeElement));
  });

  it('the domains page shows loading and error states and can retry', async () => {
    allow(/status of 503/);
    const owner = await register(api().call);
    await addDomain(owner, 'there.example');
    const page = await openPageAs(owner, '/sms', { hasClock: true });
    const release = await hold(page, '**/org/domains*');
    await page.goto('/domains');
    await page.getByRole('status').getByText('Loading Domains').waitFor();
    release();
    await row(page, 'there.example').waitFor();
    await fail(page, '**/org/domains*');
    await page.reload();
    await passTime(page, page.getByRole('alert').getByText('Postgres is unavailable'));
    await screenshot(page, 'domains-error', DEFAULT_LOOK);
    await page.unroute('**/org/domains*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await row(page, 'there.example').waitFor();
  });
});

it('the domains page is accessible in every theme and width: empty, with an open domain, with sender IDs', async () => {
  const owner = await register(api().call);
  const page = await openPageAs(owner, '/domains');
  await expectAccessibleInEveryLook(page, 'domains-empty', page.getByText('Only the default sender'));
  await addDomain(owner, `${'a-very-long-label-of-a-domain.'.repeat(4)}example`);
  const { id } = await addDomain(owner, 'mail.acme.example');
  const done = await addDomain(owner, 'done.example');
  names.publish(done.record.name, done.record.value);
  await owner.post(`/org/domains/${done.id}/verify`);
  await page.goto(`/domains?id=${id}`);
  await page.getByRole('button', { name: 'Verify' }).click();
  await expectAccessibleInEveryLook(page, 'domains', page.getByText(/There is no TXT record/));
  await owner.post('/org/sender-ids', { sender_id: 'ACME' });
  await page.getByRole('tab', { name: 'Sender IDs' }).click();
  await expectAccessibleInEveryLook(page, 'senders', page.getByText('ACME', { exact: true }));
});
