import { newId } from '@jobline/runtime';
import { expect } from 'vitest';
import { type Person, register } from '../harness/index.js';
import { addDomain, plant } from './email-support.js';
import { fillDay, runSome } from './showcase-jobs.js';
import type { Pages } from './support.js';
import { addMember } from './team-support.js';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const ago = (ms: number) => new Date(Date.now() - ms);

const CONFIRMATION = {
  name: 'order-confirmation',
  kind: 'email',
  subject: 'Order {{ order }} is on its way',
  body: `<div style="font: 15px/1.5 Arial, sans-serif">
<h1 style="font-size: 24px">Asante, {{ name }}</h1>
<p>Your order <strong>{{ order }}</strong> has left our warehouse and arrives {{ day }}.</p>
<table style="width: 100%">
  <tr><td>2 × Desk lamp, oak</td><td align="right">KES 6,400</td></tr>
  <tr><td>Delivery</td><td align="right">KES 1,000</td></tr>
  <tr><td><strong>Total</strong></td><td align="right"><strong>KES 7,400</strong></td></tr>
</table>
<p><a href="https://harborgoods.example/orders">Follow your order</a></p>
<p>Harbor Goods, Mombasa</p>
</div>`,
};
const FURTHER_TEMPLATES = [
  {
    name: 'back-in-stock',
    kind: 'email',
    subject: '{{ item }} is back',
    body: '<p>Dear {{ name }}, come and see.</p>',
  },
  { name: 'dispatch', kind: 'sms', body: 'Hi {{ name }}, order {{ order }} arrives today.' },
  { name: 'pickup-code', kind: 'sms', body: 'Your pickup code is {{ code }}.' },
  { name: 'packing-slip', kind: 'pdf', body: '<h1>Order {{ order }}</h1>' },
];

type Planted = [recipient: string, text: string, status: 'delivered' | 'sent' | 'queued' | 'failed' | 'bounced'];

const EMAILS: Planted[] = [
  ['wanjiru.k@mail.example', 'Order 48301 is on its way', 'delivered'],
  ['otieno@juahali.example', 'Invoice HG-48297', 'sent'],
  ['l.fischer@nordlicht.example', 'Your return has arrived', 'delivered'],
  ['grace.m@mail.example', 'Oak desk lamp is back', 'bounced'],
  ['accounts@pwani-cafe.example', 'Invoice HG-48288', 'delivered'],
  ['s.abdi@mail.example', 'Order 48281 is on its way', 'delivered'],
  ['kofi@atelier-kofi.example', 'Your quote for 40 chairs', 'failed'],
  ['njeri@mail.example', 'Order 48266 is on its way', 'delivered'],
  ['office@bahari-school.example', 'Invoice HG-48259', 'delivered'],
];
const TEXTS: Planted[] = [
  ['+254711000231', 'Hi Wanjiru, order 48301 arrives today.', 'queued'],
  ['+254722000458', 'Your pickup code is 730 114.', 'delivered'],
  ['+254733000812', 'Hi Otieno, order 48297 arrives today.', 'delivered'],
  ['+254700000117', 'Your pickup code is 209 553.', 'sent'],
  ['+255754000390', 'Hi Asha, order 48290 arrives tomorrow. Reply 1 to choose another day.', 'delivered'],
  ['+254799000000', 'Hi Brian, order 48284 arrives today.', 'failed'],
  ['+256772000645', 'Your pickup code is 881 020.', 'delivered'],
  ['+254711000904', 'Hi Njeri, order 48266 arrives today.', 'delivered'],
  ['+254722000076', 'We could not deliver order 48251. You can collect it at the shop.', 'delivered'],
  ['+254733000549', 'Your pickup code is 415 962.', 'delivered'],
];

/** Creates the organization of a shop with some history. Returns its owner, and the email and template to show. */
export async function createHarborGoods(pages: Pages): Promise<{ owner: Person; emailId: string; templateId: string }> {
  const { api, world } = pages;
  const owner = await register(api().call, { orgName: 'Harbor Goods', email: 'amina@harborgoods.example' });
  for (const role of ['admin', 'member'] as const) {
    await addMember(api(), owner, `${role === 'admin' ? 'joseph' : 'leila'}@harborgoods.example`, role);
  }
  await made(owner, '/org/invite', { email: 'daniel@harborgoods.example', role: 'member' });
  for (const name of ['shop backend', 'warehouse']) await made(owner, '/org/api-keys', { name });
  await made(owner, '/org/sender-ids', { sender_id: 'HARBOR' });
  await addDomain(pages, owner, 'harborgoods.example', true);
  await addDomain(pages, owner, 'harborgoods.shop.example', false);
  for (const template of FURTHER_TEMPLATES) await made(owner, '/org/templates', template);
  const templateId = await made(owner, '/org/templates', CONFIRMATION);
  const long = { where: { orgId: owner.orgId } };
  await world().db.membership.updateMany({ ...long, data: { joinedAt: ago(120 * DAY) } });
  await world().db.template.updateMany({ ...long, data: { createdAt: ago(40 * DAY), updatedAt: ago(9 * DAY) } });

  await fillDay(world(), owner);
  await runSome(world(), owner);
  for (const [n, planted] of TEXTS.entries()) await plantMessage(pages, owner, 'sms', n, planted);
  let emailId = '';
  for (const [n, planted] of [...EMAILS.entries()].reverse()) {
    emailId = await plantMessage(pages, owner, 'email', n, planted);
  }
  return { owner, emailId, templateId };
}

async function made(owner: Person, path: string, body: object): Promise<string> {
  const answer = await owner.post(path, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.id;
}

async function plantMessage(
  pages: Pages,
  owner: Person,
  channel: 'email' | 'sms',
  n: number,
  [recipient, text, status]: Planted,
): Promise<string> {
  const at = (later: number) => ago((4 + n * n * 5 + n * 7) * MINUTE - later * 1_000);
  const isEmail = channel === 'email';
  const provider = isEmail ? 'sendgrid' : 'africastalking';
  const html = Object.entries({ order: '48301', name: 'Wanjiru', day: 'tomorrow' }).reduce(
    (body, [name, value]) => body.replaceAll(`{{ ${name} }}`, value),
    CONFIRMATION.body,
  );
  const id = await plant(pages, owner, {
    channel,
    status,
    provider,
    recipient,
    sender: isEmail ? 'Harbor Goods <orders@harborgoods.example>' : 'HARBOR',
    subject: isEmail ? text : null,
    body: isEmail ? html : text,
    segments: isEmail ? null : 1,
    providerMessageId: `${isEmail ? 'sg' : 'ATPid'}-${newId()}`,
    ...(status === 'failed' && { errorCode: 'provider_rejected', errorMessage: 'The recipient is not known' }),
    createdAt: at(0),
    calledAt: at(0),
    sentAt: at(1),
    updatedAt: at(status === 'delivered' ? 3 : 1),
  });
  if (status === 'delivered') {
    await pages.world().db.messageEvent.createMany({
      data: (['sent', status] as const).map((kind, i) => {
        const times = { occurredAt: at(1 + 2 * i), receivedAt: at(1 + 2 * i) };
        return { provider, eventId: newId(), messageId: id, kind, status: kind, ...times };
      }),
    });
  }
  return id;
}
