import { EVENT_TYPES, LIMITS, REDACT_LIMITS, SECRET_LIMITS, STATS_WINDOWS } from '@jobline/contracts';
import { CALLBACK_SECRET } from './full-api.js';
import { idOf, REDACTED, typeName } from './full-organization.js';
import { last, type PricedCall, params, restored, text } from './priced-call.js';

const names50 = Array.from({ length: LIMITS.namedLimit.types }, (_, n) => typeName(10_000 + n));

/** A count is kept for ten times as long as it took. */
const WINDOWS: readonly PricedCall[] = STATS_WINDOWS.map((window) => ({
  what: window,
  before: 'SELECT pg_sleep(CASE WHEN $n > 0 THEN 5 ELSE 0 END)',
  times: 4,
  takesTurns: 'always',
  ask: () => ({ query: `window=${window}` }),
}));

/** The calls of all other operations. */
export const ORGANIZATION_CALLS: Readonly<Record<string, readonly PricedCall[]>> = {
  // Messages
  sendEmail: [
    { ask: () => ({ body: { to: 'a@b.example', subject: text(998), body: text(500_000) } }) },
    {
      ask: (n) => {
        const cc = Array.from({ length: 49 }, (_, i) => `copy-${n}-${i}@b.example`);
        return { body: { to: 'a@b.example', cc, subject: text(998), html: text(500_000) } };
      },
    },
  ],
  sendSms: [{ ask: () => ({ body: { to: '+254711000111', message: text(16_000) } }) }],
  getChatMessage: [{ ask: () => params(idOf('message', 0)), status: 404 }],
  answerChallenge: [
    {
      as: 'anonymous',
      ask: () => ({
        params: { provider: 'whatsapp' },
        query: `hub.mode=subscribe&hub.verify_token=${CALLBACK_SECRET}&hub.challenge=1`,
      }),
    },
  ],
  getSms: [{ ask: () => params(idOf('message', 0)), status: 404 }],
  receiveCallback: [
    {
      as: 'anonymous',
      ask: () => ({
        params: { provider: 'africastalking' },
        query: `secret=${CALLBACK_SECRET}`,
        raw: 'id=sandbox-1&status=Success',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    },
  ],

  verifyAddress: [{ status: 404, ask: () => ({ body: { token: 'A'.repeat(43) } }) }],
  sendVerification: [{ before: 'UPDATE users SET proved_at = NULL, proof_mailed_at = NULL', ask: () => ({}) }],
  // Accounts
  register: [
    {
      as: 'anonymous',
      ask: (n) => ({ body: { org_name: 'New', email: `new-${n}@example.com`, password: 'correct horse' } }),
    },
  ],
  login: [{ as: 'anonymous', ask: (_, { email, password }) => ({ body: { email, password } }) }],
  switchOrg: [{ ask: (_, { orgId }) => ({ body: { org_id: orgId } }) }],
  changePassword: [{ ask: (_, { password }) => ({ body: { current_password: password, new_password: password } }) }],
  forgotPassword: [{ as: 'anonymous', ask: (n) => ({ body: { email: `member-${n}@example.com` } }) }],
  resetPassword: [
    { as: 'anonymous', status: 404, ask: (n) => ({ body: { token: 'A'.repeat(43), password: `correct horse ${n}` } }) },
  ],
  checkInvite: [{ as: 'anonymous', status: 404, ask: () => ({ query: `token=${'A'.repeat(43)}` }) }],
  acceptInvite: [
    { as: 'anonymous', status: 404, ask: () => ({ body: { token: 'A'.repeat(43), password: 'correct horse' } }) },
  ],
  logout: [{ as: 'leaving', before: restored('sessions'), ask: () => ({}) }],

  // The organization
  changeRole: [{ ask: (n) => ({ ...params(idOf('user', n)), body: { role: 'admin' } }) }],
  removeMember: [{ ask: (n) => params(idOf('user', 100 + n)) }],
  createInvite: [
    { before: last('invites'), ask: (n) => ({ body: { email: `someone-${n}@example.com`, role: 'member' } }) },
  ],
  revokeInvite: [{ ask: (n) => params(idOf('invite', n)) }],
  createApiKey: [{ before: last('api_keys'), ask: (n) => ({ body: { name: `key ${n}`, types: names50 } }) }],
  changeApiKey: [{ ask: (n) => ({ ...params(idOf('apiKey', n)), body: { types: names50 } }) }],
  deleteApiKey: [{ ask: (n) => params(idOf('apiKey', n)) }],
  rotateApiKey: [{ before: last('api_keys'), ask: (n) => params(idOf('apiKey', 100 + n)) }],
  changeSettings: [
    {
      ask: (n) => ({
        body: {
          retention_days: 1 + n,
          redact: { payload_keys: REDACTED.slice(0, REDACT_LIMITS.keys), after_days: n },
          alerts: { failure_rate_percent: 50, oldest_waiting_seconds: 5, email: true, webhook: true, types: names50 },
        },
      }),
    },
  ],
  testAlerts: [
    {
      before: `UPDATE organization_settings SET alerts_by_email = true, alerts_by_webhook = true,
        alert_options = '{"chat": {"channel": "#jobs"}}' WHERE org_id = $org; UPDATE users SET proved_at = now()`,
      times: 4,
      ask: () => ({}),
    },
  ],
  rotateWebhookSecret: [{ ask: () => ({}) }],
  createDomain: [{ before: last('domains'), ask: (n) => ({ body: { domain: `new-${n}.example` } }) }],
  verifyDomain: [{ ask: () => params(idOf('domain', 1)) }],
  deleteDomain: [{ ask: (n) => params(idOf('domain', 10 + n)) }],
  createSenderId: [{ before: last('sender_ids'), ask: (n) => ({ body: { sender_id: `NEW${n}` } }) }],
  deleteSenderId: [{ ask: (n) => params(idOf('senderId', n)) }],
  createTemplate: [
    {
      before: last('templates'),
      ask: (n) => ({
        body: { name: `new-${n}`, kind: 'email', subject: '{{ a }}', body: largeTemplate(), sample: SAMPLE },
      }),
    },
  ],
  replaceTemplate: [
    {
      ask: (n) => ({
        ...params(idOf('template', 1)),
        body: { name: `template-1`, kind: 'email', subject: `{{ a }} ${n}`, body: largeTemplate(), sample: SAMPLE },
      }),
    },
  ],
  previewText: [
    { ask: () => ({ body: { kind: 'email', subject: '{{ a }}', body: largeTemplate(), data: { a: 'b' } } }) },
  ],
  previewTemplate: [{ ask: () => ({ ...params(idOf('template', 2)), body: { data: { name: text(10_000) } } }) }],
  deleteTemplate: [{ ask: (n) => params(idOf('template', 10 + n)) }],
  listSuppressions: [{ ask: () => ({}) }, { what: 'no match', ask: () => ({ query: 'address=none@example.com' }) }],
  deleteSuppression: [{ ask: (n) => params(idOf('suppression', n)) }],
  listAudit: [
    { ask: () => ({}) },
    {
      what: 'no match',
      ask: () => ({ query: `action=login.failed&actor_id=${idOf('user', 1)}&created_before=2020-01-01T00:00:00Z` }),
    },
  ],
  listApiKeys: [{ ask: () => ({}) }, { what: 'no match', ask: () => ({ query: `created_by=${idOf('user', 1)}` }) }],

  // Limits
  putSecret: [
    {
      before: last('secrets'),
      ask: (n) => ({
        params: { name: `new-${n}` },
        body: { value: 's'.repeat(SECRET_LIMITS.length), hosts: Array(SECRET_LIMITS.hosts).fill('receiver.example') },
      }),
    },
  ],
  startErasure: [
    { what: 'with schedules', ask: (n) => ({ body: { address: `person-${n}@example.com`, key: `erased-${n}` } }) },
  ],
  listErasures: [{ ask: () => ({}) }],
  getErasure: [
    {
      before: `INSERT INTO erasures (id, org_id, lifts_suppressions, schedules, created_at, finished_at)
        VALUES ('${idOf('erasure', 1)}', $org, false, '{}', now(), now()) ON CONFLICT DO NOTHING`,
      ask: () => params(idOf('erasure', 1)),
    },
  ],
  listEmails: [
    { ask: () => ({}) },
    { what: 'subject, no match', ask: () => ({ query: 'q=nothing' }) },
    { what: 'recipient and subject, no match', ask: () => ({ query: 'to=ada%40example.com&q=nothing' }) },
    { what: 'recipient', ask: () => ({ query: 'to=ada%40example.com&created_before=2020-01-01T00:00:00Z' }) },
  ],
  deleteSecret: [{ ask: (n) => ({ params: { name: `secret-${50 + n}` } }) }],
  putLimit: [
    {
      what: 'of many lanes',
      ask: (n) => ({
        params: { name: 'ordered-keys' },
        body: { types: names50.slice(n), per: 'key', concurrency: 1, ordered: true, paused: true },
      }),
    },
    {
      what: 'resumed',
      ask: (n) => ({
        params: { name: 'ordered-types' },
        body: { types: names50.slice(n), per: 'key', concurrency: 1, ordered: true },
      }),
    },
  ],
  patchLimit: [
    { what: 'paused', ask: (n) => ({ params: { name: 'ordered-keys' }, body: { paused: n % 2 === 1 } }) },
    { what: 'paused, one key', ask: (n) => ({ params: { name: 'ordered-types' }, body: { paused: n % 2 === 1 } }) },
  ],
  listLimitKeys: [
    { what: 'as many keys', ask: () => ({}) },
    { what: 'one key', ask: () => ({ params: { name: 'ordered-types' } }) },
  ],
  deleteLimit: [
    { ask: (n) => ({ params: { name: `limit-${10 + n}` } }) },
    {
      what: 'of many lanes',
      before: restored('limits'),
      isLast: true,
      ask: () => ({ params: { name: 'ordered-types' } }),
    },
  ],

  // Events
  createWebhook: [
    {
      before: last('webhooks'),
      ask: (n) => ({ body: { url: `https://new-${n}.example/${text(1_900)}`, events: [...EVENT_TYPES] } }),
    },
  ],
  changeWebhook: [
    { ask: (n) => ({ ...params(idOf('webhook', 1)), body: { enabled: n % 2 === 1 } }) },
    {
      what: 'disabled with many pending deliveries',
      before: `UPDATE webhooks SET enabled = true WHERE org_id = $org;
        UPDATE webhook_deliveries SET status = 'pending', next_attempt_at = now() + interval '300 d' WHERE webhook_id = '${idOf('webhook', 0)}'`,
      times: 2,
      takesTurns: 'always',
      ask: () => ({ ...params(idOf('webhook', 0)), body: { enabled: false } }),
    },
  ],
  rotateSecret: [{ ask: () => params(idOf('webhook', 0)) }],
  testWebhook: [
    { before: `UPDATE webhooks SET enabled = true WHERE org_id = $org`, ask: () => params(idOf('webhook', 0)) },
  ],
  redeliver: [{ ask: (n) => ({ params: { id: idOf('webhook', 0), delivery: idOf('delivery', n) } }) }],
  recoverWebhook: [
    {
      before: `UPDATE webhooks SET enabled = true WHERE org_id = $org;
        UPDATE webhook_deliveries SET status = 'failed', is_repeat_due = false, next_attempt_at = NULL WHERE webhook_id = '${idOf('webhook', 0)}'`,
      times: 2,
      takesTurns: 'always',
      ask: () => ({ ...params(idOf('webhook', 0)), body: { since: '2020-01-01T00:00:00Z' } }),
    },
    {
      what: 'what was delivered, too',
      before: `UPDATE webhook_deliveries SET status = 'delivered', is_repeat_due = false, next_attempt_at = NULL
        WHERE webhook_id = '${idOf('webhook', 0)}'`,
      times: 2,
      takesTurns: 'always',
      ask: () => ({ ...params(idOf('webhook', 0)), body: { since: '2020-01-01T00:00:00Z', delivered: true } }),
    },
  ],
  deleteWebhook: [{ isLast: true, takesTurns: 'always', ask: (n) => params(idOf('webhook', n)) }],
  followEvents: [{ ask: () => ({}) }],
  listDeliveries: [
    { ask: () => ({}) },
    { what: 'pending', ask: () => ({ query: 'status=pending' }) },
    { what: 'of an answer that none has', ask: () => ({ query: 'event=job.done&status_code=599' }) },
  ],
  search: ['xx', 'done', 'even odd', 'done ada example com', 'even nothing', 'ada@example.com', 'example xx'].map(
    (q) => ({
      what: q,
      takesTurns: 'always' as const,
      ask: () => ({ query: `q=${encodeURIComponent(q)}` }),
    }),
  ),
  readJobStats: WINDOWS,
  readFailures: WINDOWS,
  readWebhookStats: WINDOWS,
};

const SAMPLE = { text: text(65_000) };

/** As long as a template may be, with as many variables as it may have. */
function largeTemplate(): string {
  return `${Array.from({ length: 1_000 }, (_, n) => `{{ variable${n} }}`).join('')}${text(450_000)}`;
}
