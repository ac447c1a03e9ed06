import { hash } from 'node:crypto';
import { createCatalogue } from '@jobline/handlers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  type Person,
  register,
  submitJob,
  type TestApi,
  uploadFile,
  type World,
} from '../../harness/index.js';
import { idOf, inviteToken } from '../org/team.js';
import { addMember, newKey } from '../support.js';

interface DocumentedOperation {
  operationId: string;
  security: object[];
  requestBody?: { content: Record<string, { examples?: Record<string, { value: Record<string, unknown> }> }> };
  responses: Record<string, unknown>;
}

/** What must exist before an example works: fields that replace its own, and the ids of its path. */
type Prepared = { body?: Record<string, unknown>; path?: string; token?: string };

let world: World;
let api: TestApi;
let owner: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  owner = await register(api.call);
});
afterAll(() => world.end());

/** Returns the account with the address and password of the examples. Can be called repeatedly. */
async function example(): Promise<string> {
  const body = { email: 'ada@example.com', password: 'correct horse' };
  const login = await api.call('POST', '/auth/login', { body });
  if (login.status === 200) return login.body.token;
  return (await api.call('POST', '/auth/register', { body: { org_name: 'Acme', ...body } })).body.token;
}

async function newLimit(): Promise<string> {
  await owner.put('/org/limits/to-change', { concurrency: 1 });
  return 'to-change';
}

async function newSchedule(): Promise<string> {
  const body = { name: `s-${Math.random()}`, cron: '@daily', type: 'sync', payload: {} };
  return (await owner.post('/schedules', body)).body.id;
}

async function newWebhook(): Promise<string> {
  return (await owner.post('/org/webhooks', { url: 'https://example.com/', events: ['*'] })).body.id;
}

/** The ids in the path of an artifact. */
async function newArtifact(): Promise<string> {
  const id = await canceledJob();
  const { key } = await world.db.job.findFirstOrThrow({ where: { id } });
  const content = {
    contentType: 'text/plain',
    size: 1,
    sha256: hash('sha256', 'x', 'buffer'),
    bytes: Buffer.from('x'),
  };
  await world.db.artifact.create({ data: { jobKey: key, name: 'a.txt', ...content } });
  return `${id}/artifacts/a.txt`;
}

async function newTemplate(): Promise<string> {
  const body = '{{ name }} {{ order }}';
  return (await owner.post('/org/templates', { name: `t-${Math.random()}`, kind: 'sms', body })).body.id;
}

function pendingJob(): Promise<string> {
  const payload = { to: '+254700000001', message: 'hi' };
  return submitJob(owner, 'send_sms', payload, { run_at: new Date(Date.now() + 3_600_000).toISOString() });
}

async function canceledJob(): Promise<string> {
  const id = await pendingJob();
  expect((await owner.post(`/jobs/${id}/cancel`)).status).toBe(202);
  return id;
}

const PREPARE: Record<string, () => Promise<Prepared>> = {
  changeJob: async () => ({ path: await pendingJob() }),
  rerunJob: async () => ({ path: await canceledJob() }),
  linkArtifact: async () => ({ path: await newArtifact() }),
  linkFile: async () => ({ path: await uploadFile(owner, Buffer.from('text')) }),
  login: async () => ({ token: await example() }),
  switchOrg: async () => ({ body: { org_id: owner.orgId } }),
  changePassword: async () => ({ token: await example() }),
  resetPassword: async () => {
    const token = 'a'.repeat(43);
    const userId = await idOf(await register(api.call));
    await world.db.passwordReset.create({
      data: { tokenHash: hash('sha256', token, 'buffer'), userId, expiresAt: new Date(Date.now() + 60_000) },
    });
    return { body: { token } };
  },
  verifyAddress: async () => {
    const token = 'b'.repeat(43);
    const proof = { proofHash: hash('sha256', token, 'buffer'), proofMailedAt: new Date() };
    await world.db.user.update({ where: { email: owner.email }, data: proof });
    return { body: { token } };
  },
  changeApiKey: async () => ({ path: (await newKey(owner)).id }),
  rotateApiKey: async () => ({ path: (await newKey(owner)).id }),
  acceptInvite: async () => ({ body: { token: await inviteToken(owner, 'new@example.com') } }),
  changeRole: async () => ({ path: await idOf(await addMember(world, api, owner.orgId, 'member')) }),
  changeSchedule: async () => ({ path: await newSchedule() }),
  changeWebhook: async () => ({ path: await newWebhook() }),
  recoverWebhook: async () => ({ path: await newWebhook() }),
  putSecret: async () => ({ path: 'erp' }),
  putLimit: async () => ({ path: 'customers' }),
  patchLimit: async () => ({ path: await newLimit() }),
  replaceTemplate: async () => ({ path: await newTemplate(), body: { name: 'another' } }),
  previewTemplate: async () => ({ path: await newTemplate() }),
};

async function operations(): Promise<{ method: string; path: string; operation: DocumentedOperation }[]> {
  const { paths } = (await api.call('GET', '/openapi.json')).body;
  return Object.entries<Record<string, DocumentedOperation>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
}

describe('the examples of /openapi.json', () => {
  it('exist for every JSON body and for every job type', async () => {
    const withBody = (await operations()).filter(({ operation }) => operation.requestBody?.content['application/json']);
    const lacking = withBody.filter(({ operation }) => !operation.requestBody?.content['application/json']?.examples);
    const submit = withBody.find(({ operation }) => operation.operationId === 'submitJob');

    expect(lacking.map(({ operation }) => operation.operationId)).toEqual([]);
    expect(Object.keys(submit?.operation.requestBody?.content['application/json']?.examples ?? {})).toEqual(
      expect.arrayContaining([...createCatalogue().keys()]),
    );
  });

  it('work unchanged, except for what must exist before', async () => {
    const answers: string[] = [];
    // Registration is first, because it fails once the account of the examples exists.
    const registers = ({ operation }: { operation: DocumentedOperation }) =>
      Number(operation.operationId === 'register');
    const inOrder = (await operations()).sort((a, b) => registers(b) - registers(a));
    for (const { method, path, operation } of inOrder) {
      const examples = operation.requestBody?.content['application/json']?.examples ?? {};
      for (const [name, { value }] of Object.entries(examples)) {
        const prepared = (await PREPARE[operation.operationId]?.()) ?? {};
        const url = path.replace(/\{\w+\}(.*\})?/, prepared.path ?? '');
        const body = { ...value, ...prepared.body };
        const token = prepared.token ?? owner.token;
        const answer = await api.call(
          method.toUpperCase(),
          url,
          operation.security.length > 0 ? { body, token } : { body },
        );
        const isDocumented = String(answer.status) in operation.responses;
        if (answer.status >= 300 || !isDocumented) answers.push(`${operation.operationId} ${name}: ${answer.text}`);
      }
    }
    expect(answers).toEqual([]);
  });
});
