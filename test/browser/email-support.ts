import { newId } from '@jobline/runtime';
import type { Page } from 'playwright-core';
import type { Person } from '../harness/index.js';
import type { Pages } from './support.js';

/** An email body with a link and a remote image. */
export const HTML =
  '<h1>Karibu</h1><p>Hello <a href="https://acme.example/">Ada</a></p><img src="https://tracker.example/1.gif" alt="Logo">';
export const compose = (page: Page) => page.getByRole('dialog', { name: 'New email' });
export const rows = (page: Page) => page.getByRole('list', { name: /^Emails/ }).getByRole('listitem');
export const reading = (page: Page) => page.getByRole('article', { name: 'Email' });

/** Opens a tab with the compose panel. */
export async function writeAs({ openPageAs }: Pages, person: Person): Promise<Page> {
  const page = await openPageAs(person, '/email');
  await page.getByRole('button', { name: 'Compose' }).first().click();
  await compose(page).waitFor();
  return page;
}

export async function write(
  page: Page,
  { to = 'ada@example.com', subject = 'Hello', body = 'Hi Ada' } = {},
): Promise<void> {
  await compose(page).getByLabel('To', { exact: true }).fill(to);
  await compose(page).getByLabel('Subject').fill(subject);
  await compose(page).getByLabel('Body', { exact: true }).fill(body);
}

/** Inserts an email into the database as if it had been sent before. Returns its id. */
export async function plant({ world }: Pages, person: Person, more: Record<string, unknown> = {}): Promise<string> {
  const now = new Date();
  const id = newId();
  const texts = { subject: 'Invoice 12', body: 'Pay', recipient: 'bob@example.com', providerMessageId: `sg-${id}` };
  const times = { calledAt: now, sentAt: now, createdAt: now, updatedAt: now };
  const data = { id, orgId: person.orgId, channel: 'email' as const, status: 'sent' as const, provider: 'sendgrid' };
  await world().db.message.create({ data: { ...data, ...texts, ...times, ...more } });
  return id;
}

export async function suppress({ world }: Pages, person: Person, address: string): Promise<void> {
  await world().db.suppression.create({
    data: { orgId: person.orgId, address, reason: 'bounce', messageId: newId(), createdAt: new Date() },
  });
}

export async function addDomain({ world }: Pages, person: Person, domain: string, isVerified: boolean): Promise<void> {
  const { body } = await person.post('/org/domains', { domain });
  if (!isVerified) return;
  await world().db.domain.update({ where: { id: body.id }, data: { verifiedAt: new Date() } });
}
