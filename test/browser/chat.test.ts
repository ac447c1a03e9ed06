import { describe, expect, it } from 'vitest';
import { type Person, register } from '../harness/index.js';
import { storeMessages } from '../messages/support.js';
import { expectAccessibleInEveryLook } from './looks.js';
import { usePages } from './support.js';

const { api, world, openPageAs } = usePages();

const REJECTED = 'Re-engagement message: More than 24 hours have passed. (131047)';

/** A text, and a template that WhatsApp has rejected some time after it had accepted it. */
async function storeChat(person: Person): Promise<string> {
  const { db } = world();
  const [text = '', template = ''] = await storeMessages(db, person.orgId, 2, {
    channel: 'chat',
    provider: 'whatsapp',
  });
  await db.message.update({ where: { id: text }, data: { body: 'See you at 5', status: 'delivered' } });
  await db.message.update({
    where: { id: template },
    data: {
      subject: 'order_ready',
      body: '{"language":"en_US","parameters":["Ada","17:00"]}',
      status: 'failed',
      errorCode: 'provider_rejected',
      errorMessage: REJECTED,
    },
  });
  return template;
}

describe('the chat page', () => {
  it('the history has texts and templates, and can be filtered by status', async () => {
    const person = await register(api().call);
    await storeChat(person);
    const page = await openPageAs(person, '/chat');

    await page.getByRole('row').filter({ hasText: 'See you at 5' }).getByText('Delivered').waitFor();
    await page.getByRole('row').filter({ hasText: 'Template order_ready' }).getByText('Failed').waitFor();
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Queued' }).click();
    await page.getByText('No queued chat messages.').waitFor();
    expect(new URL(page.url()).searchParams.get('status')).toBe('queued');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('row').filter({ hasText: 'See you at 5' }).waitFor();
    await page.goto('/chat?to=%2B19995550100');
    await page.getByText('No chat messages match.').waitFor();
  });

  it('the report opens with the keyboard and shows template, parameters and why the message failed', async () => {
    const person = await register(api().call);
    await storeChat(person);
    const page = await openPageAs(person, '/chat');
    await page.getByRole('row').filter({ hasText: 'Template order_ready' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');

    const report = page.getByRole('dialog', { name: 'Delivery report' });
    await report.getByText('The provider rejected the chat message').waitFor();
    for (const text of [REJECTED, 'Template order_ready', 'en_US']) await report.getByText(text).first().waitFor();
    expect(await report.getByRole('region', { name: 'Message' }).textContent()).toContain('Ada\n17:00');
    await page.keyboard.press('Escape');
    await report.waitFor({ state: 'detached' });
  });

  it('the page is accessible in every theme and width: empty, full and with a report', async () => {
    const person = await register(api().call);
    const page = await openPageAs(person, '/chat');
    await expectAccessibleInEveryLook(page, 'chat-empty', page.getByText('No chat messages yet.'));

    const id = await storeChat(person);
    await page.reload();
    await expectAccessibleInEveryLook(page, 'chat-full', page.getByText('See you at 5'));
    await page.goto(`/chat?id=${id}`);
    await expectAccessibleInEveryLook(page, 'chat-report', page.getByRole('dialog').getByText(REJECTED));
  });
});
