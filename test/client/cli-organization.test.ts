import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../harness/index.js';
import { type Ended, runPiped } from './cli-process.js';
import { type ClientWorld, createClientWorld } from './client-world.js';

let at: ClientWorld;
let env: Record<string, string>;
let dir: string;

beforeAll(async () => {
  at = await createClientWorld();
  dir = mkdtempSync(join(tmpdir(), 'jobline-profile-'));
  env = { XDG_CONFIG_HOME: dir };
  const { email, password } = at.person;
  await runPiped(['login', '--url', at.proxy.url, '--email', email], { env, input: password });
});
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await at.end();
});

const jobline = (...args: string[]): Promise<Ended> => runPiped(args, { env });
const json = async (...args: string[]) => JSON.parse((await jobline(...args, '--json')).stdout);
const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

it('schedules can be created, listed, shown, paused, resumed, run and deleted by their names', async () => {
  const plan = ['--type', 'echo', '--cron', '0 2 * * *', '--timezone', 'Africa/Nairobi', '--payload', '{"n": 1}'];
  const rules = ['--overlap', 'skip', '--missed', 'skip', '--tag', 'nightly', '--max-retries', '2'];
  const created = await json('schedules', 'create', 'nightly', ...plan, ...rules);

  expect(created).toMatchObject({
    cron: '0 2 * * *',
    overlap: 'skip',
    missed: 'skip',
    tags: ['nightly'],
    max_retries: 2,
  });
  const every = await jobline('schedules', 'create', 'often', '--type', 'echo', '--every', '3600');
  expect(every.stdout).toMatch(/^Plan +every 3600 s$/m);
  expect(await jobline('schedules', 'create', 'neither', '--type', 'echo')).toMatchObject({ code: 3 });
  expect((await jobline('schedules', 'list')).stdout).toMatch(/nightly +0 2 \* \* \* Africa\/Nairobi +echo +active/);
  expect(await jobline('schedules', 'pause', 'nightly', 'none')).toMatchObject({
    code: 3,
    stdout: 'nightly  paused\n',
  });
  expect(await json('schedules', 'show', created.id)).toMatchObject({ name: 'nightly', enabled: false });
  expect((await jobline('schedules', 'resume', 'nightly')).stdout).toBe('nightly  active\n');
  const { id } = await json('schedules', 'run', 'nightly');
  expect(await at.client.jobs.get(id)).toMatchObject({ schedule_id: created.id, payload: { n: 1 } });
  expect((await jobline('schedules', 'delete', 'nightly', 'often')).code).toBe(0);
  expect(await json('schedules', 'list')).toEqual([]);
});

it('a search prints what it found, or that nothing matches', async () => {
  await jobline('limits', 'set', 'Searched:Limit', '--concurrency', '1');

  expect((await jobline('search', 'searched', 'lim')).stdout).toMatch(
    /^limit +Searched:Limit +- +\S+ +Searched:Limit$/m,
  );
  expect(await json('search', 'searched:limit')).toMatchObject([{ kind: 'limit', id: 'Searched:Limit' }]);
  expect(await json('search', 'searched nothing')).toEqual([]);
  expect((await jobline('search', 's')).code).toBe(3);
  await jobline('limits', 'delete', 'Searched:Limit');
});

it('files can be uploaded, listed, downloaded, linked and deleted', async () => {
  const path = join(dir, 'photo of me.txt');
  writeFileSync(path, 'text');

  const { stdout } = await jobline('files', 'upload', path, '--days', '2', '--type', 'text/plain');
  const id = stdout.trim();
  const [file] = await json('files', 'list');
  expect(file).toMatchObject({ id, name: 'photo of me.txt', content_type: 'text/plain', size: 4 });
  expect((await jobline('files', 'list')).stdout).toMatch(/^ID +BYTES +EXPIRES +NAME\n.* 4 .* photo of me\.txt\n$/);
  expect((await jobline('files', 'download', id)).stdout).toBe('text');
  const copy = join(dir, 'copy');
  await jobline('files', 'download', id, '--output', copy);
  expect(readFileSync(copy, 'utf8')).toBe('text');
  expect((await jobline('files', 'link', id, '--expires-in', '60')).stdout).toMatch(/\/links\?token=\S+\n$/);
  expect(await jobline('files', 'upload', join(dir, 'none'))).toMatchObject({ code: 2 });
  expect((await jobline('files', 'delete', id, 'none')).stdout).toBe(`${id}  deleted\n`);
});

it('limits can be set, listed, paused, resumed and deleted', async () => {
  const bounds = ['--concurrency', '5', '--per-second', '0.5', '--burst', '3', '--per', 'key', '--type', 'echo'];
  const limit = { name: 'slow', concurrency: 5, per_second: 0.5, burst: 3, per: 'key', types: ['echo'] };

  expect(await json('limits', 'set', 'slow', ...bounds)).toMatchObject(limit);
  expect((await jobline('limits', 'list')).stdout).toMatch(/^slow +5 +0\.5 +3 +key +active +0 +0 +echo$/m);
  expect(await jobline('limits', 'pause', 'slow', 'none')).toMatchObject({ code: 3, stdout: 'slow  paused\n' });
  expect((await jobline('limits', 'resume', 'slow')).stdout).toBe('slow  active\n');
  expect(await jobline('limits', 'set', 'empty')).toMatchObject({ code: 3, stdout: '' });
  expect((await jobline('limits', 'set', 'ordered', '--concurrency', '1', '--per', 'key', '--ordered')).code).toBe(0);
  expect((await jobline('limits', 'delete', 'slow', 'ordered')).stdout).toBe('slow  deleted\nordered  deleted\n');
  expect(await json('limits', 'list')).toEqual([]);
});

it('keys can be created, listed, rotated and revoked', async () => {
  const created = await json('keys', 'create', 'ci', '--scope', 'jobs:read', '--type', 'echo', '--expires-at', '90d');

  expect(created).toMatchObject({
    name: 'ci',
    scopes: ['jobs:read'],
    types: ['echo'],
    key: expect.stringMatching(/^jl_/),
  });
  const rotated = await jobline('keys', 'rotate', created.id, '--overlap-hours', '0');
  expect(rotated).toMatchObject({ code: 0, stdout: expect.stringMatching(/^jl_\w+\n$/) });
  const { stdout } = await jobline('keys', 'list');
  expect(stdout).toMatch(/ ci +jl_\S+ +- +\S+Z +jobs:read +echo$/m);
  expect(stdout).not.toContain(rotated.stdout.trim());
  const list = await at.session.keys.list();
  const [newest = ''] = ids({ data: list.data.filter(({ name }) => name === 'ci') });
  expect((await jobline('keys', 'revoke', newest)).stdout).toBe(`${newest}  revoked\n`);
  expect(ids(await at.session.keys.list())).not.toContain(newest);
});

it('webhooks can be created, listed, tested and deleted', async () => {
  const url = 'https://example.com/events';
  const created = await json('webhooks', 'create', url, '--event', 'job.failed', '--event', 'message.*');

  expect(created).toMatchObject({ url, events: ['job.failed', 'message.*'], secret: expect.stringMatching(/^whsec_/) });
  expect((await jobline('webhooks', 'list')).stdout).toMatch(/ enabled +https:\S+ +job\.failed message\.\*$/m);
  expect((await jobline('webhooks', 'test', created.id)).stdout).toBe(`Sent test.ping to ${url}.\n`);
  const { data } = await until('the delivery of the test', async () => {
    const page = await at.session.webhooks.deliveries(created.id);
    return page.data.length > 0 && page;
  });
  expect(data).toMatchObject([{ event: 'test.ping' }]);
  expect((await jobline('webhooks', 'delete', created.id)).code).toBe(0);
  expect(await json('webhooks', 'list')).toEqual([]);
});

it('failures and types are shown', async () => {
  const { id } = await at.client.jobs.submit('failing', {});
  await at.client.jobs.wait(id);

  expect((await jobline('failures', '--window', '1h')).stdout).toMatch(
    /^1 +failing +handler_error +\S+Z +\S+ +as the/m,
  );
  expect(await json('failures')).toMatchObject([{ type: 'failing', example_ids: [id] }]);
  expect(await jobline('failures', '--window', '2h')).toMatchObject({ code: 2 });
  expect((await jobline('types')).stdout).toMatch(/^echo +io +[1-9]\d* +60 s +\w+ +-$/m);
  expect(await json('types')).toEqual(await at.client.jobs.types());
  const refused = await runPiped(['failures'], { env: { JOBLINE_URL: at.proxy.url, JOBLINE_API_KEY: at.key } });
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('stats:read') });
});
