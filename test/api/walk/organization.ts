import { createHash } from 'node:crypto';
import { type Channel, type OrgId, type Role, SCOPES, type Scope } from '@jobline/contracts';
import { newId } from '@jobline/runtime';
import type { Answered, Person, TestApi, World } from '../../harness/index.js';
import { register, until, uploadFile } from '../../harness/index.js';
import { addMember, newKey } from '../support.js';
import { plantPlainRows } from './plain-rows.js';

/** An organization with rows in every table, all with its marker, which can create more of each on request. */
export interface Organization {
  orgId: OrgId;
  /** Part of every text that it has written, and of no other organization's texts. */
  marker: string;
  /** Creates the things below. Its session is never ended. */
  maker: Person;
  staff: Readonly<Record<Role, Person>>;
  /** The headers of a new session of a member of the staff. */
  sessionOf(role: Role): Promise<Record<string, string>>;
  /** The headers of a program with a new key. Default: with all scopes. */
  programOf(access?: { scopes?: readonly Scope[]; types?: string[] }): Promise<Record<string, string>>;
  /** The id of one of its jobs, which jobs of other organizations have too. */
  sharedJobId: string;
  /** A unique text. */
  fresh(): string;
  /** Each of these creates one more, and returns the names that paths and bodies use for it. */
  job(more?: object): Promise<string>;
  canceledJob(): Promise<string>;
  /** A job and one that waits for it. */
  chain(): Promise<{ first: string; second: string }>;
  /** A finished job with a result, log entries and an artifact of this name. */
  doneJob(): Promise<{ id: string; artifact: string }>;
  /** A file that an unfinished job does not need. */
  file(): Promise<string>;
  email(): Promise<string>;
  chatMessage(): Promise<string>;
  sms(): Promise<string>;
  template(): Promise<{ id: string; name: string }>;
  domain(): Promise<{ id: string; domain: string }>;
  /** The name of a limit. */
  limit(): Promise<string>;
  /** The name of a secret. */
  secret(): Promise<string>;
  /** A schedule whose time is far away. */
  schedule(): Promise<{ id: string; name: string }>;
  /** A webhook that has chosen no event that occurs. */
  webhook(): Promise<{ id: string }>;
  /** A failed delivery to a webhook. */
  delivery(): Promise<{ id: string; delivery: string }>;
  /** A job with a delivery to its callback URL. */
  callback(): Promise<string>;
  /** A bulk action that has ended. */
  bulk(status?: 'done' | 'stopped'): Promise<string>;
  /** Resolves when no bulk action is running. */
  settled(): Promise<void>;
  senderId(): Promise<{ id: string; senderId: string }>;
  suppression(): Promise<{ id: string; address: string }>;
  apiKey(): Promise<string>;
  /** A member who never signs in. */
  member(): Promise<{ id: string; email: string }>;
  invite(): Promise<{ id: string; token: string; email: string }>;
  /** The token of an emailed link with which a member sets a new password. */
  resetToken(): Promise<string>;
  /** Lets every user get another link that verifies their address. */
  forgetProofs(): Promise<void>;
}

let count = 0;

export async function plantOrganization(world: World, api: TestApi, marker: string): Promise<Organization> {
  const { db } = world;
  const { call } = api;
  const maker = await register(call);
  // The cast: the API returned it as an organization's id.
  const orgId = maker.orgId as OrgId;
  await db.organization.update({ where: { id: orgId }, data: { name: `${marker}-0 Ltd` } });
  const joined = (role: Role) => addMember(world, api, orgId, role);
  const staff = { owner: await joined('owner'), admin: await joined('admin'), member: await joined('member') };
  const fresh = () => `${marker}-${++count}`;

  async function created(path: string, body: object): Promise<Answered['body']> {
    const answer = await maker.post(path, body);
    if (answer.status > 202) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }
  async function message(channel: Channel, recipient: string): Promise<string> {
    const now = new Date();
    const times = { calledAt: now, sentAt: now, createdAt: now, updatedAt: now };
    const id = newId();
    const texts = { subject: channel === 'email' ? fresh() : null, body: fresh(), providerMessageId: fresh() };
    const segments = channel === 'sms' ? 1 : null;
    const data = { id, orgId, channel, status: 'sent' as const, provider: 'sandbox', recipient, segments };
    await db.message.create({ data: { ...data, ...texts, ...times } });
    return id;
  }
  async function delivery(receiver: { webhookId: string } | { jobKey: string; callbackUrl: string }): Promise<string> {
    const created = { orgId, createdAt: new Date() };
    const { id: eventId } = await db.webhookEvent.create({
      data: { ...created, type: 'job.failed', data: { id: fresh() }, isPlanned: true },
    });
    const data = { ...created, ...receiver, id: newId(), eventId, status: 'failed' as const, attemptsLeft: 0 };
    const { id } = await db.webhookDelivery.create({ data: { ...data, attempts: 1, lastError: fresh() } });
    await db.webhookTry.create({ data: { deliveryId: id, n: 1, at: new Date(), answer: fresh(), ms: 1 } });
    return id;
  }
  async function canceledJob(id = fresh()): Promise<string> {
    await organization.job({ id });
    await created(`/jobs/${id}/cancel`, {});
    return id;
  }

  const organization: Organization = {
    orgId,
    marker,
    maker,
    staff,
    async sessionOf(role) {
      const { email, password } = staff[role];
      const answer = await call('POST', '/auth/login', { body: { email, password, org_id: orgId } });
      if (answer.status !== 200) throw new Error(`POST /auth/login: ${answer.status} ${answer.text}`);
      return { authorization: `Bearer ${answer.body.token}` };
    },
    programOf: async (access) => ({ 'x-api-key': (await newKey(maker, fresh(), { scopes: SCOPES, ...access })).key }),
    sharedJobId: 'order-1',
    fresh,
    job: async (more = {}) =>
      (await created('/jobs', { id: fresh(), type: 'walk', payload: { text: fresh() }, ...more })).id,
    canceledJob,
    async chain() {
      const first = await organization.job();
      return { first, second: await organization.job({ after: [first] }) };
    },
    async doneJob() {
      const id = await canceledJob();
      const { key } = await db.job.update({
        where: { orgId_id: { orgId, id } },
        data: { status: 'done', errorCode: null, errorMessage: null, result: { text: fresh() } },
      });
      await db.jobLog.create({
        data: {
          ...{ jobKey: key, orgId, attempt: 1 },
          kind: 'failed',
          level: 'error',
          message: fresh(),
          stack: fresh(),
          at: new Date(),
          durationMs: 1,
          errorCode: 'handler_error',
        },
      });
      await db.jobProgress.create({
        data: { jobKey: key, orgId, attempt: 1, percent: 50, text: fresh(), at: new Date() },
      });
      const artifact = `${fresh()}.txt`;
      const bytes = Buffer.from(fresh());
      const sha256 = createHash('sha256').update(bytes).digest();
      await db.artifact.create({
        data: { jobKey: key, name: artifact, contentType: 'text/plain', size: bytes.length, sha256, bytes },
      });
      const asked = { phone: '254711000111', amount: 1, ref: marker, updatedAt: new Date() };
      await db.payment.create({
        data: { id: newId(), orgId, jobKey: key, provider: 'sandbox', status: 'paid', receipt: fresh(), ...asked },
      });
      return { id, artifact };
    },
    file: () => uploadFile(maker, Buffer.from(fresh()), `name=${fresh()}`),
    email: () => message('email', `${fresh()}@example.com`),
    chatMessage: () => message('chat', `+25471${String(++count).padStart(7, '0')}`),
    sms: () => message('sms', `+25471${String(++count).padStart(7, '0')}`),
    async template() {
      const name = fresh();
      const { id } = await created('/org/templates', { name, kind: 'email', subject: fresh(), body: fresh() });
      return { id, name };
    },
    async domain() {
      const domain = `${fresh()}.example`;
      const { id } = await created('/org/domains', { domain });
      await db.domain.update({ where: { id }, data: { verifiedAt: new Date() } });
      return { id, domain };
    },
    async limit() {
      const name = fresh();
      const answer = await maker.put(`/org/limits/${name}`, { types: [fresh()], paused: true });
      if (answer.status !== 200) throw new Error(`PUT /org/limits: ${answer.status} ${answer.text}`);
      return name;
    },
    async secret() {
      const name = fresh();
      const answer = await maker.put(`/org/secrets/${name}`, { value: fresh(), hosts: [`${fresh()}.example`] });
      if (answer.status !== 200) throw new Error(`PUT /org/secrets: ${answer.status} ${answer.text}`);
      return name;
    },
    async schedule() {
      const name = fresh();
      const body = { name, every_seconds: 31_536_000, type: 'walk', payload: { text: fresh() }, tags: [fresh()] };
      return { id: (await created('/schedules', body)).id, name };
    },
    async webhook() {
      const { id } = await created('/org/webhooks', { url: `https://${fresh()}.example/`, events: ['alert.raised'] });
      // So that the quota is never reached.
      const older = await db.webhook.findMany({ where: { orgId }, orderBy: { createdAt: 'desc' }, skip: 10 });
      await db.webhook.deleteMany({ where: { id: { in: older.map((one) => one.id) } } });
      return { id };
    },
    async delivery() {
      const { id } = await organization.webhook();
      return { id, delivery: await delivery({ webhookId: id }) };
    },
    async callback() {
      const id = await organization.job();
      const { key } = await db.job.findUniqueOrThrow({ where: { orgId_id: { orgId, id } } });
      await delivery({ jobKey: key, callbackUrl: `https://${fresh()}.example/` });
      return id;
    },
    async bulk(status = 'done') {
      const times = { createdAt: new Date(), finishedAt: new Date() };
      const data = {
        id: newId(),
        orgId,
        action: 'cancel' as const,
        filter: { tag: fresh() },
        status,
        total: 0,
        ...times,
      };
      return (await db.bulkAction.create({ data })).id;
    },
    async settled() {
      const isRunning = () => db.bulkAction.count({ where: { orgId, status: 'running' } });
      await until('no bulk action to run', async () => (await isRunning()) === 0);
    },
    async senderId() {
      const senderId = `S${++count}${marker}`.slice(0, 11);
      return { id: (await created('/org/sender-ids', { sender_id: senderId })).id, senderId };
    },
    async suppression() {
      const address = `${fresh()}@example.com`;
      const data = { orgId, address, reason: 'bounce' as const, messageId: newId(), createdAt: new Date() };
      return { id: (await db.suppression.create({ data })).id, address };
    },
    apiKey: async () => (await newKey(maker, fresh())).id,
    async member() {
      const email = `${fresh()}@example.com`;
      const { id } = await db.user.create({ data: { email, passwordHash: fresh() } });
      await db.membership.create({ data: { orgId, userId: id, role: 'member' } });
      return { id, email };
    },
    async invite() {
      const email = `${fresh()}@example.com`;
      const { invite_url } = await created('/org/invite', { email, role: 'member' });
      const { id } = await db.invite.findFirstOrThrow({ where: { orgId, email } });
      // The service writes its email after the response.
      await until('the invite to be emailed', () => db.invite.count({ where: { id, mailTokenHash: { not: null } } }));
      return { id, email, token: new URL(invite_url).searchParams.get('token') ?? '' };
    },
    async resetToken() {
      const { id: userId } = await organization.member();
      const token = createHash('sha256').update(fresh()).digest('base64url');
      const tokenHash = createHash('sha256').update(token).digest();
      await db.passwordReset.create({ data: { userId, tokenHash, expiresAt: new Date(Date.now() + 3_600_000) } });
      return token;
    },
    forgetProofs: async () => void (await db.user.updateMany({ data: { proofMailedAt: null } })),
  };
  await organization.job({ id: organization.sharedJobId, tags: [fresh()], key: fresh() });
  await maker.post('/jobs', { type: 'walk', payload: {} }, { headers: { 'Idempotency-Key': fresh() } });
  await created('/email/send', { to: 'a@example.com', subject: fresh(), body: fresh() });
  await organization.secret();
  const nextAt = new Date(Date.now() + 3_600_000);
  const needed = { type: 'compress_image', payload: { source: { file: await organization.file() } } };
  await organization.job({ ...needed, run_at: nextAt.toISOString() });
  const limit = await organization.limit();
  await organization.job({ limit, key: fresh() });
  await organization.chain();
  await maker.patch('/org/settings', { retention_days: 30, redact: { payload_keys: [`${fresh()} number`] } });
  await maker.patch('/org/settings', { alerts: { email: true, failure_rate_percent: 50 } });
  const ended = { threshold: 50, value: 60, raisedAt: new Date(), resolvedAt: new Date(), isMailDue: false };
  await db.alert.create({ data: { id: newId(), orgId, kind: 'failure_rate', ...ended } });
  await db.limitRate.create({ data: { orgId, name: limit, limitKey: fresh(), nextAt } });
  await db.limitHold.create({ data: { orgId, name: limit, after: 1, probeSeconds: 5 } });
  await plantPlainRows(db, orgId, fresh);
  await Promise.all([
    organization.doneJob(),
    organization.email(),
    organization.sms(),
    organization.chatMessage(),
    organization.template(),
    organization.domain(),
    organization.schedule(),
    organization.delivery(),
    organization.bulk(),
    organization.senderId(),
    organization.suppression(),
    organization.apiKey(),
  ]);
  return organization;
}
