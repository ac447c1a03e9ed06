import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type AppProcess,
  type Call,
  createCall,
  createWorld,
  type OwnRedis,
  type Received,
  type Receiver,
  type Reply,
  spawnApi,
  spawnWorker,
  startOwnRedis,
  until,
  type World,
} from '../harness/index.js';
import { africasTalkingAt, sendgridAt, takesEmail, takesSms } from '../messages/support.js';

/** The secrets that must not appear in any log, by their names. */
const planted = new Map<string, string>();

/** A secret to search for: as long and as random as a real one, and the same in every encoding. */
function plant(what: string): string {
  return keep(what, `Plant${randomBytes(12).toString('hex')}`);
}

function keep(what: string, secret: string): string {
  planted.set(what, secret);
  return secret;
}

let world: World;
let redis: OwnRedis;
const apps: AppProcess[] = [];

beforeEach(async () => {
  [world, redis] = [await createWorld(), await startOwnRedis()];
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.kill('SIGTERM');
  await redis.end();
  await world.end();
});

it('no secret is ever logged, not even at debug level and not by errors', async () => {
  // Each repeats the request in its error, as some providers do.
  const email = await world.receiver(refusesTwice(takesEmail));
  const sms = await world.receiver(refusesTwice(takesSms));
  const hook = await world.receiver(refusesTwice(() => ({ status: 204 })));
  const place = { DATABASE_URL: world.databaseUrl, REDIS_URL: redis.url, LOG_LEVEL: 'debug' };
  const providers = {
    ...sendgridAt(email.url),
    ...africasTalkingAt(sms.url),
    EMAIL_API_KEY: plant('the key of the email provider'),
    SMS_API_KEY: plant('the key of the SMS provider'),
  };
  const callbackSecret = plant('the secret of callbacks');
  const secrets = { JWT_SECRET: plant('the secret of tokens').padEnd(32, 'x'), SMS_WEBHOOK_SECRET: callbackSecret };
  const api = await spawnApi({ ...place, ...providers, ...secrets, BCRYPT_COST: '4' });
  const retries = { RETRY_BASE_MS: '20', WORKER_QUEUES: 'io:5,cpu:1' };
  const worker = await spawnWorker({ ...place, ...providers, ...retries, OUTBOUND_ALLOW_HOSTS: hook.host });
  apps.push(api, worker);
  const call = createCall(api.url);

  const { token, key, address } = await signInAndOut(call);
  await followLinks(call, token, address, email);
  await submitAll(call, key, hook.url);
  await sendDirectly(call, token);
  const states = () => world.db.job.groupBy({ by: ['status'], _count: true });
  await until('the jobs to be finished', async () =>
    (await states()).every(({ status }) => /done|failed/.test(status)),
  );
  const ended = await world.db.job.findMany({ select: { type: true, status: true, errorCode: true } });
  expect(ended.map(({ type, status, errorCode }) => `${type} ${status} ${errorCode ?? ''}`.trim())).toEqual(
    expect.arrayContaining(['webhook done', 'send_email done', 'send_sms done', 'ai_summarize done']),
  );
  // Only now, because it drops tables, which the jobs' retries would not survive.
  await failAll(call, token, callbackSecret);

  for (const app of apps) await app.kill('SIGTERM');
  const logs = { api: api.output(), worker: worker.output() };
  // The logs contain requests and attempts, and failures with their causes.
  expect(logs.api).toMatch(/"level":"debug"[^\n]*"path":"\/jobs"|"path":"\/jobs"[^\n]*"level":"debug"/);
  expect(logs.api.match(/request failed/g)?.length).toBeGreaterThanOrEqual(5);
  expect(logs.worker).toContain('"level":"debug"');
  for (const [app, log] of Object.entries(logs)) {
    for (const [what, secret] of planted) {
      expect(secret.length, what).toBeGreaterThan(16);
      expect(log.includes(secret), `${app} has logged ${what}`).toBe(false);
    }
  }
});

function refusesTwice(then: (request: Received, n: number) => Reply): (request: Received, n: number) => Reply {
  return (request, n) => (n <= 2 ? { status: 400, body: request.text } : then(request, n));
}

async function signInAndOut(call: Call): Promise<{ token: string; key: string; address: string }> {
  const email = `${plant('an address').toLowerCase()}@example.com`;
  keep('an address in lower case', email);
  const password = plant('the password');
  const registered = await call('POST', '/auth/register', { body: { org_name: 'Acme', email, password } });
  const first = keep('a token', registered.body.token);
  await call('POST', '/auth/login', { body: { email, password: plant('a wrong password') } });
  await call('POST', '/auth/login', { body: { email: `${plant('an unknown address')}@example.com`, password } });
  const next = plant('the next password');
  const change = { current_password: password, new_password: next };
  expect((await call('POST', '/auth/password', { token: first, body: change })).status).toBe(204);
  await call('POST', '/auth/password', { token: first, body: { ...change, new_password: 'short' } });
  expect((await call('POST', '/auth/logout', { token: first })).status).toBe(204);
  await call('GET', '/jobs', { token: first });
  await call('GET', '/jobs', { token: `${first.slice(0, -30)}${plant('a forged signature')}` });
  const answer = await call('POST', '/auth/login', { body: { email, password: next } });
  const token = keep('another token', answer.body.token);

  const made = await call('POST', '/org/api-keys', { token, body: { name: 'backend' } });
  const key = keep('an API key', made.body.key);
  await call('GET', '/jobs', { key: `jl_${plant('a made-up key')}` });
  keep('a webhook secret', (await call('GET', '/org/webhook-secret', { token })).body.secret);
  keep('a new webhook secret', (await call('POST', '/org/webhook-secret/rotate', { token })).body.secret);
  return { token, key, address: email };
}

/** The tokens in the links of invites and of emails, including those that the provider refuses. */
async function followLinks(call: Call, token: string, address: string, mails: Receiver): Promise<void> {
  const tokenIn = (text: string | undefined) => /[?&#]token=([\w-]{20,})/.exec(text ?? '')?.[1] ?? '';
  const invite = { email: `${plant('an invited address').toLowerCase()}@example.com`, role: 'member' };
  const made = await call('POST', '/org/invite', { token, body: invite });
  const invited = keep('the token of an invite', tokenIn(made.body.invite_url));
  await call('GET', `/invite?token=${plant('a made-up token of an invite')}`);
  expect((await call('GET', `/invite?token=${invited}`)).status).toBe(200);
  /** Waits for so many different links to a page. */
  const received = async (page: string, n = 1) => {
    const links = await until('the mail', () => {
      const found = mails.received.map(({ text }) => tokenIn(text.split(`/${page}`)[1]));
      const different = [...new Set(found.filter((link) => link !== ''))];
      return different.length >= n && different;
    });
    keep(`the token of mail ${n} to ${page}`, links[n - 1] ?? '');
  };
  await received('verify'); // of the registration
  await received('join');
  const password = plant('the password of an invited person');
  const accepted = await call('POST', '/invite/accept', { body: { token: invited, password } });
  keep('the token of an invited person', accepted.body.token);

  for (const n of [1, 2, 3]) {
    await call('POST', '/auth/forgot', { body: { email: n === 3 ? invite.email : address } });
    await received('reset', n);
  }
  const reset = { token: planted.get('the token of mail 3 to reset'), password: plant('a password after a reset') };
  const answer = await call('POST', '/auth/reset', { body: reset });
  expect(answer.status, answer.text).toBe(200);
  keep('the token after a reset', answer.body.token);
}

/** Jobs that succeed, that are retried and that fail. */
async function submitAll(call: Call, key: string, hookUrl: string): Promise<void> {
  const url = `${hookUrl}/hook?token=${plant('the query of a webhook')}`;
  const jobs: [string, object][] = [
    ['webhook', { url, payload: { secret: plant('the payload of a webhook') } }],
    ['webhook', { url: `https://10.0.0.1/${plant('the path of a forbidden webhook')}`, payload: {} }],
    ['send_email', { to: 'bob@example.com', subject: plant('a subject'), body: plant('the body of an email') }],
    ['send_sms', { to: '+254711000111', message: plant('an SMS') }],
    ['ai_summarize', { text: `${plant('a text')} is here. It is summarized.` }],
    ['nobodys', { secret: plant('the payload of an unknown type') }],
  ];
  for (const [type, payload] of jobs) {
    const answer = await call('POST', '/jobs', { key, body: { type, payload, max_retries: 2 } });
    expect(answer.status, answer.text).toBe(202);
  }
  const headers = { 'idempotency-key': plant('an idempotency key') };
  await call('POST', '/jobs', { key, headers, body: { type: 'other', payload: { more: plant('another payload') } } });
}

async function sendDirectly(call: Call, token: string): Promise<void> {
  const mail = { to: 'bob@example.com', subject: plant('a direct subject'), body: plant('a direct email') };
  const text = { to: '+254711000111', message: plant('a direct SMS') };
  for (const path of ['/email/send', '/sms/send']) {
    expect((await call('POST', path, { token, body: path === '/email/send' ? mail : text })).status).toBeLessThan(503);
  }
  const template = { kind: 'email', subject: 'x', body: `{{ ${plant('a broken template')} | nope }} {% if %}` };
  await call('POST', '/org/templates/preview', { token, body: { ...template, data: {} } });
  const good = { kind: 'sms', body: 'Hello {{ name }}', data: { name: plant('the data of a template') } };
  await call('POST', '/org/templates/preview', { token, body: good });
}

/** Errors of every kind. */
async function failAll(call: Call, token: string, callbackSecret: string): Promise<void> {
  await call('GET', `/jobs?limit=${plant('a query')}&cursor=${plant('a cursor')}`, { token });
  await call('POST', '/jobs', { token, raw: `{"type": ${plant('no JSON')}` });
  await call('POST', '/jobs', { token, body: { type: 'send_sms', payload: { to: plant('no phone number') } } });
  await call('POST', '/jobs', { token, body: { [plant('an unknown field')]: 1 } });
  const report = {
    raw: 'id=1&status=Success&phoneNumber=%2B1',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  };
  await call('POST', `/webhooks/africastalking?secret=${plant('a wrong secret of callbacks')}`, report);
  await call('POST', `/webhooks/africastalking?secret=${callbackSecret}`, report);

  const body = {
    org_name: 'Acme',
    email: `${plant('an address').toLowerCase()}@example.com`,
    password: plant('a password'),
  };
  await withoutTable('users', () => call('POST', '/auth/register', { body }), 500);
  const failing: [string, string, object][] = [
    ['submitted_jobs', '/jobs', { type: 'a', payload: { secret: plant('a payload that is not stored') } }],
    ['templates', '/org/templates', { name: 'a', kind: 'sms', body: plant('a template that is not stored') }],
    ['messages', '/sms/send', { to: '+254711000111', message: plant('an SMS that is not stored') }],
    ['webhook_secrets', '/org/webhook-secret/rotate', {}],
    ['api_keys', '/org/api-keys', { name: plant('the name of a key that is not stored') }],
  ];
  for (const [table, path, content] of failing) {
    await withoutTable(
      table,
      () => call('POST', path, { token, ...(path.endsWith('rotate') ? {} : { body: content }) }),
      500,
    );
  }
}

async function withoutTable(table: string, ask: () => ReturnType<Call>, status: number): Promise<void> {
  await world.db.$executeRawUnsafe(`ALTER TABLE ${table} RENAME TO ${table}_away`);
  try {
    const answer = await ask();
    expect(answer.status, `${table}: ${answer.text}`).toBe(status);
  } finally {
    await world.db.$executeRawUnsafe(`ALTER TABLE ${table}_away RENAME TO ${table}`);
  }
}
