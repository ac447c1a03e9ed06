import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobKey } from '@jobline/contracts';
import { redactJobs } from '@jobline/db/job-transitions';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accept, inviteToken } from '../api/org/team.js';
import {
  type AppProcess,
  createWorld,
  finishedJob,
  makeDue,
  type OwnRedis,
  type Person,
  register,
  runToEnd,
  spawnWorker,
  startOwnRedis,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

/** `mapped.mjs` is one line, all of which its map assigns to line 42 of a source. */
const FILES = {
  'own.mjs': `
    import { PermanentError, RetryLater } from '@jobline/handlers';
    import { readFile } from 'node:fs/promises';
    export const type = 'own';
    export async function run({ how }, { saveArtifact }) { await deliver(how, saveArtifact); }
    async function deliver(how, saveArtifact) {
      if (how === 'for good') throw new PermanentError('never');
      if (how === 'later') throw new RetryLater(1, 'not now');
      if (how === 'a text') throw 'just a text';
      if (how === 'long') throw Object.assign(new Error('long'), { stack: 'é'.repeat(5_000) });
      if (how === 'in node') await readFile('/no/such/file');
      if (how === 'in Jobline') await saveArtifact({ name: '/', contentType: 'text/plain', bytes: new Uint8Array() });
      throw new Error('broken');
    }`,
  'mapped.mjs':
    "export const type = 'mapped'; export function run() { throw new Error('mapped'); }\n//# sourceMappingURL=mapped.mjs.map",
  'mapped.mjs.map': JSON.stringify({ version: 3, sources: ['src/mapped.ts'], names: [], mappings: 'AAyCA' }),
};

let world: World;
let redis: OwnRedis;
let dir: string;
let person: Person;
let worker: AppProcess;

beforeAll(async () => {
  world = await createWorld();
  redis = await startOwnRedis();
  person = await register((await world.api({ redisUrl: redis.url, prefix: 'jobline' })).call);
  dir = await mkdtemp(join(tmpdir(), 'jobline-test-handlers-'));
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(dir, name), text);
  worker = await spawnWorker(environment());
  await until('the worker to register', () => world.db.worker.count());
});
afterAll(async () => {
  await worker.kill('SIGTERM');
  await world.end();
  await redis.end();
  await rm(dir, { recursive: true });
});

function environment(more: Record<string, string> = {}): Record<string, string> {
  return { DATABASE_URL: world.databaseUrl, REDIS_URL: redis.url, HANDLERS_DIR: dir, RETRY_BASE_MS: '1', ...more };
}

/** The lines of the worker's log about errors of handlers. */
function logged(id: string) {
  const lines = worker.output().split('\n');
  return lines
    .filter((line) => line.includes('the handler threw'))
    .flatMap((line) => {
      const entry = JSON.parse(line);
      return entry.job_id === id ? [entry] : [];
    });
}

/** The stack of the only attempt. */
async function stackOf(how: string, more: object = {}): Promise<string | undefined> {
  const { attempts } = await runToEnd(person, 'own', { how }, more);
  return attempts[0]?.error?.stack;
}

it('an error of a custom handler is in the log of the worker with the id of the job, and has its stack in each attempt', async () => {
  const id = 'my-own-id';

  const { attempts } = await runToEnd(person, 'own', {}, { id, max_retries: 1 });

  expect(attempts.map(({ error }) => error)).toEqual([
    {
      code: 'handler_error',
      message: 'broken',
      stack: expect.stringMatching(/^Error: broken\n {4}at deliver \(.*own\.mjs:13:/),
    },
    { code: 'handler_error', message: 'broken', stack: expect.stringContaining('at deliver ') },
  ]);
  const lines = await until('both lines of the log', () => logged(id).length === 2 && logged(id));
  expect(lines[0]).toMatchObject({ level: 'error', job_id: id, type: 'own', attempt: 1, error: attempts[0]?.error });
  expect((await person.get(`/jobs/${id}/result`)).body.error).toEqual({ code: 'handler_error', message: 'broken' });
});

it.each([
  ['a permanent error', 'for good', /^PermanentError: never\n {4}at deliver /],
  ['an error that asks for a later retry', 'later', /^RetryLater: not now\n {4}at deliver /],
  ['a function of Node', 'in node', /ENOENT.*\n(.*\n)* {4}at async deliver .*own\.mjs/],
  [
    'a function of Jobline',
    'in Jobline',
    /^\w+: "\/" is not a valid artifact name.*\n {4}at (async )?deliver .*own\.mjs/,
  ],
])('the stack of %s shows the handler, and no frame of Jobline', async (_what, how, stack) => {
  const shown = await stackOf(how);
  expect(shown).toMatch(stack);
  expect(shown).not.toMatch(/run-handler|save-artifact/);
});

it('a stack is cut at 4 KiB of UTF-8, and a thrown text has none', async () => {
  expect(await stackOf('long')).toBe('é'.repeat(2_048));
  expect(await stackOf('a text')).toBeUndefined();
});

it('source maps next to a handler are read, also in an isolated process', async () => {
  const source = `${join(dir, 'src/mapped.ts')}:42:1`;
  const { attempts } = await runToEnd(person, 'mapped', {});
  expect(attempts[0]?.error?.stack).toContain(source);

  const id = await submitJob(person, 'mapped', {}, { run_at: new Date(Date.now() + 3_600_000).toISOString() });
  await world.db.job.updateMany({ where: { id }, data: { crashCount: 2 } });
  await makeDue(world.db, id);
  const isolated = await finishedJob(person, id);

  expect(isolated.logs.some(({ message }) => message.includes('isolated process'))).toBe(true);
  expect(isolated.attempts[0]?.error).toEqual({
    code: 'handler_error',
    message: 'mapped',
    stack: expect.stringContaining(source),
  });
});

it('members and API keys see stacks only if the operator allows it, and with `off` no one does', async () => {
  const { job } = await runToEnd(person, 'own', {});
  const place = { redisUrl: redis.url, prefix: 'jobline' };
  const apis = {
    admins: await world.api(place),
    members: await world.api({ ...place, settings: { handlerStacks: 'members' } }),
    off: await world.api({ ...place, settings: { handlerStacks: 'off' } }),
  };
  const { key } = (await person.post('/org/api-keys', { name: 'reader', scopes: ['jobs:read'] })).body;
  const callers: Record<string, { token: string } | { key: string }> = { owner: { token: person.token }, key: { key } };
  for (const role of ['admin', 'member']) {
    const { token } = (await accept(apis.admins, await inviteToken(person, `${role}@example.com`, role))).body;
    callers[role] = { token };
  }

  const seenBy: Record<string, string[]> = {};
  for (const [name, api] of Object.entries(apis)) {
    const seen: string[] = [];
    for (const [who, credentials] of Object.entries(callers)) {
      const { body } = await api.call('GET', `/jobs/${job.id}/attempts`, credentials);
      expect(body[0].error).toMatchObject({ code: 'handler_error', message: 'broken' });
      if ('stack' in body[0].error) seen.push(who);
    }
    seenBy[name] = seen;
  }

  expect(seenBy).toEqual({ admins: ['owner', 'admin'], members: ['owner', 'key', 'admin', 'member'], off: [] });
});

it('the stack of a redacted job is hidden at once, and deleted with the values of its payload', async () => {
  const { job } = await runToEnd(person, 'own', { card: 1 });
  const { job: other } = await runToEnd(person, 'own', {});
  await person.patch('/org/settings', { redact: { payload_keys: ['card'], after_days: 0 } });

  const [{ error }] = (await person.get(`/jobs/${job.id}/attempts`)).body;
  expect(error).toEqual({ code: 'handler_error', message: 'broken' });
  const stored = await world.db.job.findFirstOrThrow({ where: { id: job.id } });
  const count = (jobKey: string) => world.db.jobLog.count({ where: { jobKey, stack: { not: null } } });
  expect(await count(stored.key)).toBe(1);
  // The casts: a finished job, by its key.
  const due = { key: stored.key as JobKey, finishedAt: stored.finishedAt as Date, payload: '{"card":"[redacted]"}' };
  await redactJobs(world.db, ['card'], [due]);
  expect(await count(stored.key)).toBe(0);
  expect((await person.get(`/jobs/${other.id}/attempts`)).body[0].error.stack).toContain('own.mjs');
});

it('a worker with HANDLER_STACKS=off stores no stack, and one with another word does not start', async () => {
  const wrong = await spawnWorker(environment({ HANDLER_STACKS: 'everyone' }));
  await wrong.ended;
  expect(wrong.output()).toContain('HANDLER_STACKS must be one of [admins, members, off]');

  await worker.kill('SIGTERM');
  worker = await spawnWorker(environment({ HANDLER_STACKS: 'off' }));
  const id = await submitJob(person, 'own', {});
  await finishedJob(person, id);

  const { key } = await world.db.job.findFirstOrThrow({ where: { id } });
  expect(await world.db.jobLog.count({ where: { jobKey: key, stack: { not: null } } })).toBe(0);
  expect((await until('the line of the log', () => logged(id)[0])).error.stack).toContain('own.mjs');
});
