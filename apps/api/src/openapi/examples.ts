/** A body that can be sent unchanged, unless it refers to something that must exist before. */
export interface Example {
  summary: string;
  value: Readonly<Record<string, unknown>>;
}

const EMAIL = 'ada@example.com';
const PASSWORD = 'correct horse';
/** Placeholders for values that differ in each installation. */
const ORG_ID = '01a1fe9f-4bb0-76dd-8eba-02455de81017';
const LINK_TOKEN = 'the-token-of-the-link-x';

const JOBS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  webhook: { url: 'https://example.com/hook', payload: { order: 1001 } },
  compress_image: { url: 'https://example.com/photo.jpg', width: 1200, quality: 80 },
  ai_summarize: {
    text: 'A queue stores work that takes too long for a request. A worker does it later.',
    length: 'short',
  },
  send_email: { to: 'grace@example.com', subject: 'Your order', body: '<p>Order 1001 is on its way.</p>' },
  send_sms: { to: '+254700000001', message: 'Order 1001 is on its way.' },
  send_chat_message: { to: '+254700000001', message: 'Order 1001 is on its way.' },
  team_chat_notify: { channel: '#orders', text: 'Order 1001 was paid.' },
  mobile_money_stk: { phone: '254700000001', amount: 1500, ref: 'ORDER-1001' },
  generate_pdf: { template: 'invoice', data: { number: 'INV-1001' } },
};

const TEMPLATE = {
  name: 'order_shipped',
  kind: 'email',
  subject: 'Order {{ order }}',
  body: '<p>Hello {{ name }}, your order is on its way.</p>',
};
const DATA = { name: 'Grace', order: 1001 };

/** Operation → name → body, for every operation with a body. Tests send every example. */
export const EXAMPLES: Readonly<Record<string, Readonly<Record<string, Example>>>> = {
  submitJob: {
    ...Object.fromEntries(
      Object.entries(JOBS).map(([type, payload]) => [
        type,
        { summary: type, value: { type, payload, max_retries: 3 } },
      ]),
    ),
    every_field: {
      summary: 'Every field, with your own job type',
      value: {
        id: 'order-1001',
        type: 'greet',
        payload: { name: 'Ada' },
        max_retries: 3,
        priority: 5,
        run_at: '2026-01-31T12:00:00Z',
        tags: ['orders', 'region:eu'],
        key: 'customer-42',
        callback_url: 'https://example.com/jobs/ended',
      },
    },
    capitalized: {
      summary: 'The other spelling',
      value: { ID: 'order-1002', Type: 'greet', Payload: { name: 'Grace' }, MaxRetries: 3 },
    },
  },
  submitBatch: only('Two jobs', {
    jobs: [
      { type: 'send_sms', payload: JOBS.send_sms },
      { type: 'webhook', payload: JOBS.webhook, max_retries: 5 },
    ],
  }),
  changeJob: only('Run it now, before all others of the organization', { run_at: null, priority: 9 }),
  rerunJob: only('With another payload', { payload: JOBS.send_sms }),
  linkArtifact: only('For an hour', { expires_in: 3_600 }),
  linkFile: only('For an hour', { expires_in: 3_600 }),
  startBulk: only('Retry what failed in an outage', {
    action: 'retry',
    filter: { status: 'failed', error_code: 'provider_unavailable', created_after: '2026-01-31T06:00:00.000Z' },
    per_second: 200,
  }),
  createWebhook: only('Failed jobs and every message', {
    url: 'https://example.com/jobline',
    events: ['job.failed', 'message.*'],
    description: 'Alerts',
  }),
  changeWebhook: only('Enable it again', { enabled: true }),
  recoverWebhook: only('What has failed since a time', { since: '2026-01-31T06:00:00.000Z' }),
  createSchedule: {
    cron: {
      summary: 'Every weekday morning',
      value: {
        name: 'Daily report',
        cron: '30 6 * * MON-FRI',
        timezone: 'Europe/Berlin',
        type: 'webhook',
        payload: JOBS.webhook,
      },
    },
    every_field: {
      summary: 'Every ten minutes, with every field but `limit`',
      value: {
        name: 'Synchronize the stock',
        every_seconds: 600,
        type: 'sync_stock',
        payload: { warehouse: 7 },
        max_retries: 2,
        priority: 3,
        tags: ['stock'],
        key: 'warehouse-7',
        callback_url: 'https://example.com/done',
        overlap: 'skip',
        missed: 'skip',
        enabled: false,
      },
    },
  },
  changeSchedule: only('Pause', { enabled: false }),
  previewSchedule: only('The next five times', { cron: '0 9 L * *', timezone: 'Africa/Nairobi' }),
  sendEmail: only('An email from the default sender', JOBS.send_email),
  sendSms: only('A text message', JOBS.send_sms),
  register: only('A new organization', { org_name: 'Acme', email: EMAIL, password: PASSWORD }),
  login: only('A session', { email: EMAIL, password: PASSWORD }),
  switchOrg: only('To another organization', { org_id: ORG_ID }),
  verifyAddress: only('The token of the link', { token: 'kZ1n4Qm9T0v8y3uXcF6bHsRw2LpJdEgA5iVoNtKqYxM' }),
  changePassword: only('A new password', { current_password: PASSWORD, new_password: 'battery staple' }),
  forgotPassword: only('A link by email', { email: EMAIL }),
  resetPassword: only('With the token of the link', { token: LINK_TOKEN, password: PASSWORD }),
  acceptInvite: only('With the token of the link', { token: LINK_TOKEN, password: PASSWORD }),
  createInvite: only('A new member', { email: 'grace@example.com', role: 'member' }),
  changeSettings: {
    alerts: {
      summary: 'An event when more than a fifth of the jobs fail',
      value: { alerts: { webhook: true, failure_rate_percent: 20 } },
    },
    chat: {
      summary: 'A message to a channel of the team chat when a payment has been due for a minute',
      value: { alerts: { chat: { channel: '#payments' }, oldest_waiting_seconds: 60, types: ['mobile_money_stk'] } },
    },
    privacy: {
      summary: 'Jobs for a week, and their card numbers for a day',
      value: { retention_days: 7, redact: { payload_keys: ['card_number'], after_days: 1 } },
    },
  },
  changeRole: only('Make an admin', { role: 'admin' }),
  createApiKey: {
    program: { summary: 'A key for a program', value: { name: 'backend' } },
    emails: {
      summary: 'A key that can only work with emails',
      value: { name: 'shop', scopes: ['jobs:write'], types: ['send_email'] },
    },
  },
  changeApiKey: only('The key may only read jobs', { scopes: ['jobs:read'] }),
  rotateApiKey: only('The old key ends after two days', { overlap_hours: 48 }),
  createDomain: only('A domain to send from', { domain: 'acme.example' }),
  startErasure: only('A customer who wants to be forgotten', { address: 'ada@example.com', key: 'customer-77' }),
  putSecret: only('A header of the ERP', { value: 'Bearer 5f3c1e0b', hosts: ['erp.example'] }),
  putLimit: only('Five of a customer at a time', { types: ['webhook'], per: 'key', concurrency: 5 }),
  patchLimit: only('Pause', { paused: true }),
  createSenderId: only('A name to send SMS as', { sender_id: 'ACME' }),
  createTemplate: only('An email', TEMPLATE),
  replaceTemplate: only('An email', TEMPLATE),
  previewText: only('A text not stored yet', {
    kind: 'email',
    subject: TEMPLATE.subject,
    body: TEMPLATE.body,
    data: DATA,
  }),
  previewTemplate: only('Its variables', { data: DATA }),
};

function only(summary: string, value: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, Example>> {
  return { example: { summary, value } };
}
