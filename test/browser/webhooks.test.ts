import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createCatalogue } from '@jobline/handlers';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Person, type Received, type Reply, register, submitJob, until } from '../harness/index.js';
import { isSigned } from '../journey/hook-world.js';
import { createNamedJobs } from '../journey/named-jobs.js';
import { expectAccessibleInEveryLook } from './looks.js';
import { usePages } from './support.js';
import { addMember, clipboard, fail } from './team-support.js';

const { allow, api, openPageAs, world } = usePages();
const jobs = createNamedJobs(['called']);
let receiver: { url: string; host: string; received: Received[] };
let reply: () => Reply = () => ({});
beforeAll(async () => {
  receiver = await world().receiver(() => reply());
  await world().worker({
    catalogue: createCatalogue(jobs.handlers),
    queues: ['io', 'events'],
    allowHosts: [receiver.host],
  });
});
afterEach(async () => {
  reply = () => ({});
  await jobs.reset();
});

const dialog = (page: Page) => page.getByRole('dialog');
const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });
const main = (page: Page) => page.getByRole('main');

/** A webhook that gets the ends of jobs. */
async function addWebhook(owner: Person, settings: object = {}): Promise<{ id: string; secret: string }> {
  const path = `/${owner.orgId}`;
  const answer = await owner.post('/org/webhooks', { url: receiver.url + path, events: ['job.*'], ...settings });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

const requestsOf = (owner: Person) => receiver.received.filter(({ path }) => path === `/${owner.orgId}`);

/** Waits until a webhook has as many deliveries with this status. */
const deliveries = (owner: Person, id: string, status: string, count = 1) =>
  until(`${count} ${status}`, async () => {
    const { body } = await owner.get(`/org/webhooks/${id}/deliveries?status=${status}`);
    return body.length === count && body;
  });

async function openMenu(page: Page, item: string): Promise<void> {
  await main(page).getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

describe('the page of webhooks', () => {
  it('a webhook is added with its mistakes shown at the fields, and its secret is shown once', async () => {
    allow(/status of 400/);
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/webhooks');
    await page.getByText('No webhooks. Nothing is sent.').waitFor();
    await page.keyboard.press('n');
    await dialog(page).getByRole('textbox', { name: 'Address' }).fill('ftp://example.com/hook');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('Choose at least one event.').waitFor();
    await dialog(page).getByRole('checkbox', { name: 'All job events' }).click();
    expect(await dialog(page).getByRole('checkbox', { name: 'job.done' }).isDisabled()).toBe(true);
    await dialog(page).getByRole('checkbox', { name: 'payment.paid' }).click();
    await dialog(page).getByRole('button', { name: 'Add webhook' }).click();
    await dialog(page).getByRole('textbox', { name: 'Address', description: /./ }).waitFor();
    await dialog(page).getByRole('textbox', { name: 'Address' }).fill('https://example.com/jobline');
    await dialog(page).getByRole('textbox', { name: 'Description' }).fill('Our shop');
    await dialog(page).getByRole('button', { name: 'Add webhook' }).click();

    await dialog(page).getByRole('button', { name: 'Copy secret' }).click();
    expect(await clipboard(page)).toMatch(/^whsec_/);
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { name: 'Our shop' }).waitFor();
    await main(page).getByText('payment.paid').waitFor();
    const [webhook] = (await owner.get('/org/webhooks')).body;
    expect(webhook).toMatchObject({ url: 'https://example.com/jobline', events: ['job.*', 'payment.paid'] });
  });

  it('leaving without the secret asks first', async () => {
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/webhooks');
    await page.keyboard.press('n');
    await dialog(page).getByRole('textbox', { name: 'Address' }).fill('https://example.com/jobline');
    await dialog(page).getByRole('checkbox', { name: 'All events' }).click();
    await dialog(page).getByRole('button', { name: 'Add webhook' }).click();
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await page.getByRole('alertdialog', { name: 'Close without the secret?' }).waitFor();
    await page.getByRole('button', { name: 'Close without it' }).click();
    await page.getByRole('heading', { name: 'Webhook', exact: true }).waitFor();
  });

  it('the list shows the health of the last 24 hours, and an event arrives while the page is open', async () => {
    const owner = await register(api().call);
    const { id } = await addWebhook(owner, { description: 'Watched' });
    const page = await openPageAs(owner, '/webhooks');
    await row(page, 'Watched').getByText('no deliveries').waitFor();
    await submitJob(owner, 'called', { name: 'w:1' });
    await deliveries(owner, id, 'delivered');
    await page.reload();
    await row(page, 'Watched').getByText('1 delivered').waitFor();
    await page.getByRole('link', { name: 'Watched' }).click();
    await page.getByRole('row', { name: /^job\.done .*Delivered/ }).waitFor();
    await main(page).getByRole('button', { name: 'Send test event' }).click();
    await page.getByText('A test event is on its way').first().waitFor();
    await page.getByRole('row', { name: /^test\.ping .*Delivered/ }).waitFor();
  });

  it('a failed delivery shows its body and each answer, and is delivered again', async () => {
    const owner = await register(api().call);
    const { id } = await addWebhook(owner);
    reply = () => ({ status: 400, body: 'the shop is closed' });
    await submitJob(owner, 'called', { name: 'f:1' });
    await until('the first attempt', () => requestsOf(owner).length > 0);
    const page = await openPageAs(owner, `/webhooks?id=${id}&status=pending`);
    await page.getByRole('link', { name: 'job.done' }).click();
    await dialog(page).getByText('the shop is closed').first().waitFor();
    await dialog(page).getByText('the receiver answered 400').first().waitFor();
    await dialog(page).getByText('"type": "job.done"').waitFor();
    await expectAccessibleInEveryLook(page, 'webhook-delivery', dialog(page).getByText('the shop is closed').first());

    reply = () => ({ body: 'thanks' });
    await dialog(page).getByRole('button', { name: 'Deliver again', exact: true }).click();
    // The second attempt may come meanwhile, too.
    await dialog(page).getByText('thanks').first().waitFor();
    await dialog(page).getByText('Delivered', { exact: true }).waitFor();
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await page.getByText('No such deliveries.').waitFor();
    await page.getByRole('radio', { name: 'All' }).click();
    await page.getByRole('row', { name: /^job\.done .*Delivered/ }).waitFor();
  });

  it('a failing webhook shows since when, and its deliveries are filtered by event and by status code', async () => {
    const owner = await register(api().call);
    const { id } = await addWebhook(owner);
    reply = () => ({ status: 500 });
    const job = await submitJob(owner, 'called', { name: 'f:2' });
    await until('the first attempt', async () => (await owner.get(`/org/webhooks/${id}`)).body.failures > 0);
    const page = await openPageAs(owner, `/webhooks?id=${id}`);
    await main(page)
      .getByText(/^Failing since .+, \d+ in a row\./)
      .waitFor();
    const code = main(page).getByRole('searchbox', { name: 'Status code' });
    await code.fill('404');
    await page.getByText('No such deliveries.').waitFor();
    await code.fill('500');
    await page.getByRole('row', { name: /^job\.done/ }).waitFor();
    await main(page).getByRole('combobox', { name: 'Event' }).click();
    await page.getByRole('option', { name: 'job.failed' }).click();
    await page.getByText('No such deliveries.').waitFor();
    expect(new URL(page.url()).searchParams.get('event')).toBe('job.failed');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    const failed = page.getByRole('row', { name: /^job\.done/ });
    await failed.waitFor();
    const about = main(page).getByRole('searchbox', { name: 'Job ID' });
    await about.fill('another');
    await page.getByText('No such deliveries.').waitFor();
    await about.fill(job);
    await failed.getByTitle(job).click();
    await page.waitForURL(`**/job/${job}`);
    await page.goto('/webhooks');
    await page.getByRole('row', { name: /failing since .+, \d+ in a row/ }).waitFor();
  });

  it('a delivery is copied as a command that signs it, and everything is delivered again from it on', async () => {
    const owner = await register(api().call);
    const { id, secret } = await addWebhook(owner);
    for (const name of ['c:1', 'c:2']) await submitJob(owner, 'called', { name });
    await deliveries(owner, id, 'delivered', 2);
    const page = await openPageAs(owner, `/webhooks?id=${id}`);
    await page.getByRole('link', { name: 'job.done' }).nth(1).click(); // the older one
    await dialog(page).getByRole('button', { name: 'Copy as curl' }).click();
    const script = await clipboard(page);
    expect(script).not.toContain(secret);
    const { stdout } = await promisify(execFile)('sh', ['-ec', script], {
      env: { PATH: process.env.PATH ?? '', WEBHOOK_SECRET: secret },
    });
    expect(stdout).toMatch(/^HTTP\/1\.1 200/);
    const copied = requestsOf(owner)[2];
    expect(copied && isSigned(copied, secret)).toBe(true);
    const original = requestsOf(owner).find(({ headers }) => headers['webhook-id'] === copied?.headers['webhook-id']);
    expect(JSON.parse(copied?.text ?? '')).toEqual(JSON.parse(original?.text ?? ''));
    expect(copied?.headers['content-type']).toBe(original?.headers['content-type']);

    await dialog(page).getByRole('button', { name: 'Deliver again from here on' }).click();
    const recovery = page.getByRole('dialog', { name: 'Deliver events again' });
    await recovery.getByRole('checkbox', { name: 'Also those that were delivered' }).click();
    await expectAccessibleInEveryLook(page, 'webhook-recovery', recovery);
    await recovery.getByRole('button', { name: 'Deliver again' }).click();
    await until('both again', () => requestsOf(owner).length === 5);
  });

  it('a webhook is edited, its secret rotated, and it is disabled, recovered and deleted', async () => {
    const owner = await register(api().call);
    const { id } = await addWebhook(owner);
    const page = await openPageAs(owner, `/webhooks?id=${id}`);
    await main(page).getByRole('button', { name: 'Edit' }).click();
    await dialog(page).getByRole('textbox', { name: 'Description' }).fill('Renamed');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Renamed' }).waitFor();

    await openMenu(page, 'Rotate secret');
    await dialog(page).getByRole('button', { name: 'Rotate' }).click();
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await page.getByRole('alertdialog', { name: 'Close without the secret?' }).waitFor();
    await page.getByRole('button', { name: 'Go back' }).click();
    await dialog(page).getByRole('button', { name: 'Copy secret' }).click();
    await dialog(page).getByRole('button', { name: 'Done' }).click();

    reply = () => ({ status: 500 });
    await submitJob(owner, 'called', { name: 'e:1' });
    await deliveries(owner, id, 'pending');
    await openMenu(page, 'Disable');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Nothing is sent to this webhook').waitFor();
    await deliveries(owner, id, 'failed');
    await openMenu(page, 'Enable');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Nothing is sent to this webhook').waitFor({ state: 'detached' });
    reply = () => ({});
    await openMenu(page, 'Deliver events again');
    await dialog(page).getByRole('button', { name: 'Deliver again' }).click();
    await deliveries(owner, id, 'delivered');

    await openMenu(page, 'Delete');
    await page.getByRole('alertdialog', { name: 'Delete Renamed?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhooks.').waitFor();
    expect((await owner.get('/org/webhooks')).body).toEqual([]);
  });

  it('a refused action says why, and an unknown webhook is explained', async () => {
    allow(/status of (503|404)/);
    const owner = await register(api().call);
    const { id } = await addWebhook(owner);
    const page = await openPageAs(owner, `/webhooks?id=${id}`);
    await fail(page, '**/org/webhooks/*/test', 'POST');
    await main(page).getByRole('button', { name: 'Send test event' }).click();
    await page.getByText('Postgres is unavailable').first().waitFor();
    await page.goto('/webhooks?id=01a1fe9f-4bb0-76dd-8eba-02455de81017');
    await page.getByText('Webhook not found').waitFor();
  });

  it('a member does not see the page', async () => {
    const owner = await register(api().call);
    const member = await addMember(api(), owner, 'm@webhooks.example', 'member');
    const page = await openPageAs(member, '/webhooks');
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
    await page.getByText(/^Only owners and admins of .* can see this page/).waitFor();
  });

  it('the pages work in every look', async () => {
    const owner = await register(api().call);
    const page = await openPageAs(owner, '/webhooks');
    await expectAccessibleInEveryLook(page, 'webhooks-empty', page.getByText('No webhooks. Nothing is sent.'));
    await page.keyboard.press('n');
    await expectAccessibleInEveryLook(page, 'webhook-form', dialog(page).getByText('All events'));
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    const { id } = await addWebhook(owner, { description: 'Shop' });
    const other = await addWebhook(owner, { url: 'https://alerts.example.com/hooks/jobline' });
    await owner.patch(`/org/webhooks/${other.id}`, { enabled: false });
    for (const name of ['l:1', 'l:2', 'l:3']) await submitJob(owner, 'called', { name });
    await deliveries(owner, id, 'delivered', 3);
    reply = () => ({ status: 500 });
    await submitJob(owner, 'called', { name: 'l:4' });
    await deliveries(owner, id, 'pending');
    await page.goto('/webhooks');
    await expectAccessibleInEveryLook(page, 'webhooks', page.getByText('3 delivered'));
    await page.goto(`/webhooks?id=${id}`);
    await expectAccessibleInEveryLook(page, 'webhook', page.getByRole('heading', { name: 'Shop' }));
  });
});
