import { expect, it } from 'vitest';
import { register, until } from '../harness/index.js';
import { compose, reading, rows, write, writeAs } from './email-support.js';
import { expectAccessibleInEveryLook } from './looks.js';
import { usePages } from './support.js';

const pages = usePages();
const { allow, api } = pages;

it('an email is sent with copies, an address for replies, both texts and a file, and the history shows each recipient', async () => {
  const person = await register(api().call);
  const page = await writeAs(pages, person);
  const form = compose(page);
  await write(page, { body: '<h1>Karibu</h1>' });
  await form.getByRole('button', { name: 'Cc, Bcc, Reply-To' }).press('Enter');
  await form.getByLabel('Cc', { exact: true }).fill('bob@example.com, cy@bücher.example');
  await form.getByLabel('Cc', { exact: true }).press('Enter');
  await form.getByLabel('Bcc', { exact: true }).fill('dot@example.com');
  await form.getByLabel('Reply-To').fill('Help <help@example.com>');
  await form.getByText('bob@example.com').waitFor();
  await form.getByRole('combobox', { name: 'Format' }).click();
  await page.getByRole('option', { name: 'HTML and plain text' }).click();
  await form.getByLabel('Plain text').fill('Karibu');
  const file = { name: '請求書.txt', mimeType: 'text/plain', buffer: Buffer.from('Pay') };
  await form.getByLabel('Files to attach').setInputFiles(file);
  await form.getByRole('list', { name: 'Attachments' }).getByText('請求書.txt').waitFor();
  await expectAccessibleInEveryLook(page, 'whole-email', form.getByText('Up to 20 files'));
  const request = page.waitForRequest('**/email/send');
  await form.getByRole('button', { name: 'Send now' }).click();

  const sent = (await request).postDataJSON();
  expect(sent).toEqual({
    to: 'ada@example.com',
    cc: ['bob@example.com', 'cy@bücher.example'],
    bcc: ['dot@example.com'],
    reply_to: 'Help <help@example.com>',
    subject: 'Hello',
    html: '<h1>Karibu</h1>',
    text: 'Karibu',
    attachments: [{ file: expect.any(String), filename: '請求書.txt' }],
  });
  await reading(page).getByText('To ada@example.com').waitFor();
  await until('all recipients', async () => (await rows(page).count()) === 4);
  const texts = (await rows(page).allInnerTexts()).map((text) => text.split('\n')[0]);
  expect(texts.sort()).toEqual([
    'ada@example.com',
    'bob@example.com (Cc)',
    'cy@bücher.example (Cc)',
    'dot@example.com (Bcc)',
  ]);
});

it('errors of copies and attachments are shown at their fields, and a removed attachment is not sent', async () => {
  const person = await register(api().call);
  allow(/status of 400/);
  const page = await writeAs(pages, person);
  const form = compose(page);
  await write(page);
  await form.getByRole('button', { name: 'Cc, Bcc, Reply-To' }).click();
  await form.getByLabel('Cc', { exact: true }).fill('ADA@example.com');
  await form.getByRole('button', { name: 'From a job' }).click();
  await form.getByLabel('Job ID').fill('invoice-7');
  await form.getByLabel('Job ID').press('Enter');
  const send = form.getByRole('button', { name: 'Send now' });
  await send.click();

  await form.getByText('Has an address that the email has already').waitFor();
  await form.getByRole('button', { name: 'Remove ADA@example.com' }).click();
  await send.click();
  await form.getByText('Cannot be read: there is no job "invoice-7"').waitFor();
  await form.getByRole('button', { name: 'Remove The only artifact' }).click();
  await send.click();
  await reading(page).getByText('To ada@example.com').waitFor();
  expect((await person.get('/email/messages')).body).toHaveLength(1);
});
