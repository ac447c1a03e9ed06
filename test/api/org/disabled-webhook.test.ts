import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { disableWebhook } from '@jobline/db';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, register, type TestApi, until, type World } from '../../harness/index.js';
import { addMember, verifyAddresses } from '../support.js';

let world: World;
let api: TestApi;
let mailDir: string;

beforeAll(async () => {
  mailDir = await mkdtemp(join(tmpdir(), 'jobline-webhooks-'));
  world = await createWorld();
  api = await world.api({
    providers: { EMAIL_SANDBOX_DIR: mailDir, EMAIL_SYSTEM_FROM: 'Jobline <service@jobs.example.com>' },
  });
});
afterAll(async () => {
  await world.end();
  await rm(mailDir, { recursive: true });
});

it('the owners of an organization, and no other member, get one email when a webhook is disabled', async () => {
  const owner = await register(api.call);
  const admin = await addMember(world, api, owner.orgId, 'admin');
  const url = 'https://hooks.example.com/secret-path';
  const { id } = (await owner.post('/org/webhooks', { url, events: ['*'] })).body;
  await verifyAddresses(world, owner, admin);
  for (let n = 0; n < 2; n++) await world.db.$transaction((tx) => disableWebhook(tx, id, 'it answered 410'));

  const mails = await until('the email', async () => {
    const names = await readdir(mailDir);
    const texts = await Promise.all(names.map((name) => readFile(join(mailDir, name), 'utf8')));
    const notices = texts.filter((text) => text.includes('Subject: A webhook was disabled') && text.endsWith('.\n'));
    return notices.length > 0 && notices;
  });
  expect(mails).toHaveLength(1);
  expect(mails[0]).toContain(`To: ${owner.email}\n`);
  expect(mails[0]).toContain(`/webhooks?org=${owner.orgId}&id=${id}\n`);
  expect(mails[0]).not.toMatch(/secret-path|hooks\.example|Org \d/);
  expect(mails[0]).not.toContain(admin.email);
  expect((await owner.get(`/org/webhooks/${id}`)).body.enabled).toBe(false);
});
