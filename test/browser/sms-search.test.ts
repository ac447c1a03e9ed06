import { expect, it } from 'vitest';
import { type Person, register, until } from '../harness/index.js';
import { usePages } from './support.js';

const { api, openPageAs, world } = usePages();

const TO = '+254711000111';

async function send(person: Person, message: string, to = TO): Promise<string> {
  const answer = await person.post('/sms/send', { to, message });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.id;
}

it('the history is searched by number and time, and the URL keeps the filters', async () => {
  const person = await register(api().call);
  await send(person, 'To me');
  await send(person, 'To another', '+254700000000');
  const page = await openPageAs(person, '/sms');
  const rows = page.getByRole('table').getByRole('link');
  await until('both are listed', async () => (await rows.count()) === 2);
  const number = page.getByLabel('Phone number');
  await number.fill('+254 711 000-111');
  await number.press('Enter');
  await until('one is listed', async () => (await rows.allTextContents()).join() === TO);
  expect(new URL(page.url()).searchParams.get('to')).toBe(TO);
  await page.reload();
  await until('one is listed again', async () => (await rows.allTextContents()).join() === TO);

  await page.getByRole('button', { name: 'Created: any time' }).click();
  await page.getByLabel('Before', { exact: true }).fill('2020-01-01T00:00');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('No SMS match.').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).first().click();
  await until('both are listed again', async () => (await rows.count()) === 2);
  expect(new URL(page.url()).search).toBe('');
});

it('a failed SMS shows its reason in the list, and a test goes to the phone that is typed', async () => {
  const person = await register(api().call);
  const id = await send(person, 'This is not delivered');
  const failure = {
    status: 'failed',
    provider: 'twilio',
    errorCode: 'provider_rejected',
    errorMessage: 'Barred',
  } as const;
  await world().db.message.update({ where: { id }, data: failure });
  const page = await openPageAs(person, '/sms');
  await page.getByRole('row').filter({ hasText: 'Barred This is not delivered' }).waitFor();
  await page.getByLabel('Message', { exact: true }).fill('Only a test');
  await page.getByRole('button', { name: 'Send test' }).click();
  const test = page.getByRole('dialog', { name: 'Send a test' });
  await test.getByLabel('Phone number').fill('+254700000000');
  await test.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('Test recorded, not sent').first().waitFor();
  expect((await person.get('/sms/messages')).body[0]).toMatchObject({ to: '+254700000000', message: 'Only a test' });
  expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('Only a test');
});
