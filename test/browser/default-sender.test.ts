import { expect, it } from 'vitest';
import { register } from '../harness/index.js';
import { addDomain, compose, writeAs } from './email-support.js';
import { usePages } from './support.js';

const pages = usePages();
const { api, openPageAs } = pages;

it('the form for an email shows the address of the default sender while it is chosen', async () => {
  const person = await register(api().call);
  await addDomain(pages, person, 'acme.example', true);
  const page = await writeAs(pages, person);
  const address = compose(page).getByText('Default sender: sandbox@jobline.invalid', { exact: true });
  await address.waitFor();
  await compose(page).getByRole('combobox', { name: 'From' }).click();
  await page.getByRole('option').filter({ hasText: 'sandbox@jobline.invalid' }).waitFor();
  await page.getByRole('option', { name: '@acme.example' }).click();
  await address.waitFor({ state: 'detached' });
});

it('the form for an SMS shows the default sender, who chooses it, or that there is none', async () => {
  const page = await openPageAs(await register(api().call), '/sms');
  await page.getByText('Default sender: none, because the sandbox sends nothing', { exact: true }).waitFor();
  for (const [sms, words] of [
    [{ provider: 'twilio', from: '+14155550100', required: false }, '+14155550100'],
    [{ provider: 'africastalking', from: null, required: false }, 'chosen by africastalking'],
    [{ provider: 'twilio', from: null, required: true }, 'none is configured'],
  ] as const) {
    await page.route('**/org/default-senders', (route) => route.fulfill({ json: { email: sms, sms } }));
    await page.reload();
    await page.getByText(`Default sender: ${words}`, { exact: true }).waitFor();
    await page.unroute('**/org/default-senders');
  }
});

it('a form whose default sender cannot be loaded can still be used', async () => {
  pages.allow(/status of 503/);
  const page = await openPageAs(await register(api().call), '/domains');
  await page.route('**/org/default-senders', (route) => route.fulfill({ status: 503, body: 'down' }));
  await page.goto('/sms');
  await page.getByLabel('To', { exact: true }).fill('+254711000111');
  await page.getByLabel('Message', { exact: true }).fill('Hello');
  await page.getByRole('button', { name: 'Send SMS' }).click();
  await page.getByRole('status').filter({ hasText: 'Recorded, not sent' }).waitFor();
  expect(await page.getByText('Default sender:').count()).toBe(0);
});

it('the form for a job shows the sender that is used without one in the payload', async () => {
  const page = await openPageAs(await register(api().call), '/');
  await page.keyboard.press('n');
  const sheet = page.getByRole('dialog', { name: 'New job' });
  const note = sheet.getByText('The sender if the payload has no “from”:');
  await sheet.getByLabel('Type').fill('send_email');
  await note.filter({ hasText: 'sandbox@jobline.invalid' }).waitFor();
  await sheet.getByLabel('Type').fill('send_sms');
  await note.filter({ hasText: 'none, because the sandbox sends nothing' }).waitFor();
  await sheet.getByLabel('Type').fill('webhook');
  await note.waitFor({ state: 'detached' });
});
