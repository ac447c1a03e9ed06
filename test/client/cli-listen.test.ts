import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyWebhook } from '@jobline/client';
import { findFreePort } from '@jobline/devstack';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../harness/index.js';
import { type Command, runPiped, startPiped } from './cli-process.js';
import { type ClientWorld, createClientWorld } from './client-world.js';

let at: ClientWorld;
let dir: string;
let env: Record<string, string>;

beforeAll(async () => {
  at = await createClientWorld();
  dir = mkdtempSync(join(tmpdir(), 'jobline-listen-'));
  env = { XDG_CONFIG_HOME: dir };
  mkdirSync(join(dir, 'jobline'));
  const profile = JSON.stringify({ url: at.proxy.url, token: at.person.token });
  writeFileSync(join(dir, 'jobline', 'default.json'), profile, { mode: 0o600 });
});
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await at.end();
});

const secretOf = (command: Command) => /whsec_\S+/.exec(command.stdout())?.[0] ?? '';
const requests = (path: string) => at.receiver.received.filter((request) => request.path === path);
const idsAt = (path: string) => requests(path).map(({ text }) => JSON.parse(text).data.id);

it('jobline listen posts the events with the ids that webhooks see, signed with the secret that it prints', async () => {
  const webhook = await at.session.webhooks.create({ url: `${at.receiver.url}/webhook`, events: ['job.done'] });
  const forward = `${at.receiver.url}/local`;
  const command = startPiped(['listen', '--events', 'job.done,message.*', '--forward', forward], env);
  await command.shows('Listening');
  await at.client.jobs.wait((await at.client.jobs.submit('failing', {})).id);
  const { id } = await at.client.jobs.submit('echo', { a: 1 });
  await until('both to get the event', () => idsAt('/local').length === 1 && idsAt('/webhook').length === 1);
  const [local, remote] = [requests('/local')[0], requests('/webhook')[0]];

  expect(local?.text).toBe(remote?.text);
  const event = await verifyWebhook(local?.text ?? '', local?.headers ?? {}, secretOf(command));
  expect(event).toMatchObject({ id: remote?.headers['webhook-id'], type: 'job.done', data: { id } });
  expect(await at.session.webhooks.list()).toMatchObject({ data: [{ id: webhook.id }] });
  await command.shows(`job.done  ${event.id}  200`);
  command.kill('SIGINT');
  expect(await command.ended).toBe(130);
  await at.session.webhooks.delete(webhook.id);
});

it('jobline listen skips no event while the connection is broken, and goes on if nothing receives them', async () => {
  const forward = `${at.receiver.url}/resumed`;
  const command = startPiped(['listen', '--forward', forward, '--json'], env);
  const nothing = startPiped(['listen', '--forward', `http://127.0.0.1:${await findFreePort()}/`], env);
  await command.shows('whsec_');
  await nothing.shows('Listening');
  at.proxy.cut();
  const ids = await at
    .clientWith({ url: at.api.url })
    .jobs.submitMany([1, 2, 3].map((n) => ({ type: 'echo', payload: { n } })));

  await until('all events', () => ids.every((id) => idsAt('/resumed').includes(id)));
  await nothing.shows('ECONNREFUSED');
  expect(command.stderr()).not.toContain('gap');
  for (const one of [command, nothing]) one.kill('SIGINT');
  await Promise.all([command.ended, nothing.ended]);
});

it('jobline listen says which time is missing after a gap, and goes on', async () => {
  const command = startPiped(['listen', '--forward', `${at.receiver.url}/gap`], env);
  await command.shows('Listening');
  await at.world.db.eventListener.delete({ where: { orgId: at.person.orgId } });
  at.proxy.cut();

  await until('the gap', () => /warning: gap: events between \S+Z and \S+Z are missing/.test(command.stderr()));
  const { id } = await at.client.jobs.submit('echo', {});
  await until('the next event', () => idsAt('/gap').includes(id));
  command.kill('SIGINT');
  await command.ended;
});

it('jobline listen needs a session, and an address to forward to', async () => {
  const key = { JOBLINE_URL: at.proxy.url, JOBLINE_API_KEY: at.key };
  const refused = await runPiped(['listen', '--forward', 'http://127.0.0.1:1/'], { env: key });
  const wrong = await runPiped(['listen', '--forward', 'localhost'], { env });
  const unknown = await runPiped(['listen', '--forward', 'http://127.0.0.1:1/', '--events', 'job.ended'], { env });

  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('jobline login') });
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--forward') });
  expect(unknown).toMatchObject({ code: 3, stderr: expect.stringContaining('events') });
});
