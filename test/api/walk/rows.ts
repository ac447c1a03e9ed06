import { ACCOUNT_ROWS } from './account-rows.js';
import type { EndpointRequest } from './ask.js';
import { BULK_ROWS, EVENT_ROWS } from './event-rows.js';
import { FILE_ROWS } from './file-rows.js';
import { KEY_ROWS } from './key-rows.js';
import { LIMIT_ROWS } from './limit-rows.js';
import { OPERATION_ROWS } from './operation-rows.js';
import type { Organization } from './organization.js';
import type { Row } from './row.js';
import { SCHEDULE_ROWS } from './schedule-rows.js';
import { SEARCH_ROWS } from './search-rows.js';

/**
 * The role matrix of the contract, with a valid request for each endpoint. It repeats on purpose the table that the
 * service enforces: the two must agree.
 */

const nothing = () => ({});
const idOf = (make: (of: Organization) => Promise<string>) => async (of: Organization) => ({
  params: { id: await make(of) },
});
const webhook = { url: 'https://example.com/hook', payload: {} };
const newText = { kind: 'email', subject: 'Hello', body: 'text' };

export const ROWS: Readonly<Record<string, Row>> = {
  submitJob: {
    who: 'key',
    status: 202,
    ask: (of) => ({ body: { type: 'webhook', payload: { ...webhook, payload: { text: of.fresh() } } } }),
    alsoNaming: async (of) => {
      const limit = await of.limit();
      const { name } = await of.template();
      const { domain } = await of.domain();
      const { senderId } = await of.senderId();
      const headers = { 'Idempotency-Key': of.fresh() };
      const body = { type: 'walk', payload: {} };
      await of.maker.post('/jobs', { ...body, id: of.fresh() }, { headers });
      const mail = { to: 'a@example.com', subject: 'a', body: 'b' };
      return [
        { body: { ...body, id: await of.job() } },
        { body: { ...body, limit } },
        { body: { ...body, after: [await of.job()] } },
        { body, headers },
        { body: { type: 'send_email', payload: { to: 'a@example.com', template: name, data: {} } } },
        { body: { type: 'send_email', payload: { ...mail, from: `a@${domain}` } } },
        { body: { type: 'send_email', payload: { ...mail, to: (await of.suppression()).address } } },
        { body: { type: 'send_sms', payload: { to: '+254711000111', message: 'a', from: senderId } } },
        { body: { type: 'generate_pdf', payload: { template: name } } },
        { body: { type: 'compress_image', payload: { source: { file: await of.file() } } } },
        { body: { type: 'compress_image', payload: { source: { job: (await of.doneJob()).id } } } },
        { body: { type: 'webhook', payload: { ...webhook, headers: { a: { $secret: await of.secret() } } } } },
      ];
    },
  },
  submitBatch: {
    who: 'key',
    status: 202,
    ask: (of) => ({ body: { jobs: [{ type: 'walk', payload: { text: of.fresh() } }] } }),
    alsoNaming: async (of) => [
      { body: { jobs: [{ type: 'walk', payload: {}, id: await of.job() }] } },
      { query: { mode: 'each' }, body: { jobs: [{ type: 'walk', payload: {}, id: await of.job() }, {}] } },
      {
        body: { jobs: [{ type: 'send_email', payload: { to: 'a@b.example', template: (await of.template()).name } }] },
      },
    ],
  },
  listJobs: {
    who: 'key',
    status: 200,
    ask: nothing,
    alsoNaming: async (of) => {
      const to = `${of.fresh()}@example.com`;
      await of.job({ type: 'send_email', payload: { to, subject: 'a', body: 'b' } });
      return [
        { query: { cursor: Buffer.from(`9999999999999.${await of.job()}`).toString('base64url') } },
        { query: { schedule: (await of.schedule()).id } },
        { query: { after: (await of.chain()).first } },
        { query: { about: to } },
      ];
    },
  },
  listJobTypes: { who: 'key', status: 200, ask: nothing },
  followJobs: { who: 'key', status: 200, ask: nothing },
  getJob: { who: 'key', status: 200, ask: idOf(async (of) => (await of.chain()).second) },
  listAttempts: { who: 'key', status: 200, ask: idOf(async (of) => (await of.doneJob()).id) },
  listLogs: { who: 'key', status: 200, ask: idOf(async (of) => (await of.doneJob()).id) },
  getResult: { who: 'key', status: 200, ask: idOf(async (of) => (await of.doneJob()).id) },
  listArtifacts: { who: 'key', status: 200, ask: idOf(async (of) => (await of.doneJob()).id) },
  getArtifact: {
    who: 'key',
    status: 200,
    ask: async (of) => {
      const { id, artifact } = await of.doneJob();
      return { params: { id, name: artifact } };
    },
    alsoNaming: async (of) => [{ params: { id: of.sharedJobId, name: (await of.doneJob()).artifact } }],
  },
  retryJob: { who: 'key', status: 202, ask: idOf((of) => of.canceledJob()) },
  followJob: { who: 'key', status: 200, ask: idOf((of) => of.job()) },
  cancelJob: { who: 'key', status: 202, ask: idOf((of) => of.job()) },
  changeJob: {
    who: 'key',
    status: 200,
    ask: async (of) => ({ params: { id: await of.job() }, body: { priority: 3, payload: { text: of.fresh() } } }),
  },
  deleteJob: { who: 'key', status: 204, ask: idOf((of) => of.canceledJob()) },
  rerunJob: { who: 'key', status: 202, ask: idOf((of) => of.canceledJob()) },

  ...BULK_ROWS,
  ...EVENT_ROWS,
  ...FILE_ROWS,
  ...SCHEDULE_ROWS,
  ...SEARCH_ROWS,

  sendEmail: {
    who: 'key',
    status: 200,
    ask: () => ({ body: { to: 'a@example.com', subject: 'Hello', body: 'text' } }),
    alsoNaming: async (of) => {
      const mail = { to: 'a@example.com', subject: 'Hello', body: 'text' };
      const headers = { 'Idempotency-Key': of.fresh() };
      await of.maker.post('/email/send', mail, { headers });
      return [
        { body: mail, headers },
        { body: { ...mail, from: `a@${(await of.domain()).domain}` } },
        { body: { ...mail, to: (await of.suppression()).address } },
      ];
    },
  },
  listEmails: { who: 'key', status: 200, ask: nothing, alsoNaming: async (of) => [uuidCursor(await of.email())] },
  getEmail: {
    who: 'key',
    status: 200,
    ask: idOf((of) => of.email()),
    alsoNaming: async (of) => [{ params: { id: await of.sms() } }],
  },
  sendSms: {
    who: 'key',
    status: 200,
    ask: () => ({ body: { to: '+254711000111', message: 'text' } }),
    alsoNaming: async (of) => [{ body: { to: '+254711000111', message: 'a', from: (await of.senderId()).senderId } }],
  },
  listSms: { who: 'key', status: 200, ask: nothing, alsoNaming: async (of) => [uuidCursor(await of.sms())] },
  getSms: {
    who: 'key',
    status: 200,
    ask: idOf((of) => of.sms()),
    alsoNaming: async (of) => [{ params: { id: await of.email() } }],
  },
  listChatMessages: {
    who: 'key',
    status: 200,
    ask: nothing,
    alsoNaming: async (of) => [uuidCursor(await of.chatMessage())],
  },
  getChatMessage: {
    who: 'key',
    status: 200,
    ask: idOf((of) => of.chatMessage()),
    alsoNaming: async (of) => [{ params: { id: await of.sms() } }],
  },
  answerChallenge: {
    who: 'anybody',
    status: 200,
    ask: () => ({
      params: { provider: 'whatsapp' },
      query: { 'hub.mode': 'subscribe', 'hub.verify_token': CALLBACK_SECRET, 'hub.challenge': '1158201444' },
    }),
  },
  receiveCallback: {
    who: 'anybody',
    status: 200,
    ask: (of) => ({
      params: { provider: 'africastalking' },
      query: { secret: CALLBACK_SECRET },
      raw: new URLSearchParams({ id: of.fresh(), status: 'Success' }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  },

  ...ACCOUNT_ROWS,

  listMembers: {
    who: 'admin',
    status: 200,
    ask: nothing,
    alsoNaming: async (of) => [uuidCursor((await of.member()).id)],
  },
  changeRole: {
    who: 'owner',
    status: 200,
    ask: async (of) => ({ params: { id: (await of.member()).id }, body: { role: 'owner' } }),
  },
  removeMember: { who: 'owner', status: 204, ask: idOf(async (of) => (await of.member()).id) },
  createInvite: {
    who: 'owner',
    status: 201,
    ask: (of) => ({ body: { email: `${of.fresh()}@example.com`, role: 'admin' } }),
    alsoNaming: async (of) => [
      { body: { email: (await of.member()).email, role: 'member' } },
      { body: { email: (await of.invite()).email, role: 'member' } },
    ],
  },
  listInvites: {
    who: 'owner',
    status: 200,
    ask: nothing,
    alsoNaming: async (of) => [uuidCursor((await of.invite()).id)],
  },
  revokeInvite: { who: 'owner', status: 204, ask: idOf(async (of) => (await of.invite()).id) },

  ...KEY_ROWS,
  getWebhookSecret: { who: 'admin', status: 200, ask: nothing },
  ...OPERATION_ROWS,
  rotateWebhookSecret: { who: 'admin', status: 200, ask: nothing },

  createDomain: {
    who: 'admin',
    status: 201,
    ask: (of) => ({ body: { domain: `${of.fresh()}.example` } }),
    alsoNaming: async (of) => [{ body: { domain: (await of.domain()).domain } }],
  },
  listDomains: {
    who: 'member',
    status: 200,
    ask: nothing,
    alsoNaming: async (of) => [uuidCursor((await of.domain()).id)],
  },
  getDomain: { who: 'member', status: 200, ask: idOf(async (of) => (await of.domain()).id) },
  verifyDomain: { who: 'admin', status: 200, ask: idOf(async (of) => (await of.domain()).id) },
  deleteDomain: { who: 'admin', status: 204, ask: idOf(async (of) => (await of.domain()).id) },
  ...LIMIT_ROWS,
  getDefaultSenders: { who: 'member', status: 200, ask: nothing },
  createSenderId: {
    who: 'admin',
    status: 201,
    // A new name each time, because sender ids are unique across all organizations.
    ask: (of) => ({ body: { sender_id: `N${of.fresh().split('-').reverse().join('')}`.slice(0, 11) } }),
  },
  listSenderIds: {
    who: 'member',
    status: 200,
    ask: nothing,
    alsoNaming: async (of) => [uuidCursor((await of.senderId()).id)],
  },
  deleteSenderId: { who: 'admin', status: 204, ask: idOf(async (of) => (await of.senderId()).id) },
  createTemplate: {
    who: 'admin',
    status: 201,
    ask: (of) => ({ body: { ...newText, name: of.fresh() } }),
    alsoNaming: async (of) => [{ body: { ...newText, name: (await of.template()).name } }],
  },
  listTemplates: {
    who: 'member',
    status: 200,
    ask: nothing,
    alsoNaming: async (of) => [uuidCursor((await of.template()).id)],
  },
  previewText: { who: 'member', status: 200, ask: () => ({ body: { ...newText, data: {} } }) },
  getTemplate: { who: 'member', status: 200, ask: idOf(async (of) => (await of.template()).id) },
  replaceTemplate: {
    who: 'admin',
    status: 200,
    ask: async (of) => ({ params: { id: (await of.template()).id }, body: { ...newText, name: of.fresh() } }),
  },
  previewTemplate: {
    who: 'member',
    status: 200,
    ask: async (of) => ({ params: { id: (await of.template()).id }, body: { data: {} } }),
  },
  deleteTemplate: { who: 'admin', status: 204, ask: idOf(async (of) => (await of.template()).id) },
  listSuppressions: {
    who: 'admin',
    status: 200,
    ask: nothing,
    alsoNaming: async (of) => [uuidCursor((await of.suppression()).id)],
  },
  deleteSuppression: { who: 'admin', status: 204, ask: idOf(async (of) => (await of.suppression()).id) },
  listAudit: {
    who: 'admin',
    status: 200,
    ask: nothing,
    alsoNaming: async (of) => [{ query: { actor_id: (await of.member()).id } }],
  },

  readJobStats: { who: 'key', status: 200, ask: nothing },
  alive: { who: 'anybody', status: 200, ask: nothing },
  ready: { who: 'anybody', status: 200, ask: nothing },
  openapi: { who: 'anybody', status: 200, ask: nothing },
};

/** The secret that callbacks must send. */
export const CALLBACK_SECRET = 'a secret in the address of the callback';
export const CALLBACKS = { CHAT_WEBHOOK_VERIFY_TOKEN: CALLBACK_SECRET, SMS_WEBHOOK_SECRET: CALLBACK_SECRET };

/** A cursor after an entry of the organization. */
function uuidCursor(id: string): EndpointRequest {
  return { query: { cursor: Buffer.from(`9999999999999.${id}`).toString('base64url') } };
}
