import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { answersOf, expectAllowed, untilAccepted, untilDone } from '../containers/checks.js';
import { type ContainerWorld, createContainerWorld } from '../containers/container-world.js';
import { runEveryType } from '../containers/journey.js';
import { type Load, startLoad } from '../containers/load.js';
import { memoryMiB, secondsToReady, sizeMb } from '../containers/measure.js';
import { buildImage, exportCommit, IMAGES, previousCommit } from '../containers/project.js';
import { createStack } from '../containers/stack.js';
import { createCall, type Person, register, until } from '../harness/index.js';

/** The largest size of each image in megabytes: of the browser's in all, of the others over their base. */
const MAX_MB = { 'jobline-api': 150, 'jobline-worker': 150, 'jobline-worker-browser': 1_200 };
const APPS = ['api-1', 'api-2', 'worker-1', 'worker-2', 'worker-browser-1'];
const BATCHES = 40;
/** Lines of the log of each app that a failed test prints, and which. */
const SHOWN = 10;
const isError = (line: string) => /"level":"(warn|error)"/.test(line);

let world: ContainerWorld;
let person: Person;

beforeAll(async () => {
  world = await createContainerWorld();
  for (const name of IMAGES) {
    const startedAt = performance.now();
    await buildImage(world.podman, world.project, name);
    console.log(`built ${name} in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  }
});
afterAll(() => world?.end());
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  for (const name of APPS) {
    const lines = (await world.podman.logs(name)).split('\n');
    console.log(`${name}:\n${lines.filter(isError).slice(-SHOWN).join('\n')}`);
  }
});

it('every image is at most as large as its limit', async () => {
  const base = await sizeMb(world.podman, world.base);
  const sizes = await Promise.all(IMAGES.map(async (name) => ({ name, mb: await sizeMb(world.podman, name) })));

  console.table(sizes.map(({ name, mb }) => ({ name, mb, overBaseMb: mb - base })));
  for (const { name, mb } of sizes)
    expect(name === 'jobline-worker-browser' ? mb : mb - base, name).toBeLessThanOrEqual(MAX_MB[name]);
});

it('a build after a change of a source installs no package', async () => {
  appendFileSync(join(world.project, 'packages/engine/src/attempt/backoff.ts'), '// A changed line.\n');
  for (const name of IMAGES) {
    const output = await buildImage(world.podman, world.project, name);
    expect(output).toContain('Using cache');
    expect(output).not.toMatch(/\badded \d+ packages/);
  }
});

it('the Compose file with a pooler runs every job type', async () => {
  await startAll();

  await runEveryType(person, world.providers);

  const { podman } = world;
  console.table(await Promise.all(APPS.map(async (name) => ({ name, mib: await memoryMiB(podman, name) }))));
});

it('every app is ready again after its container has started again', async () => {
  const seconds: Record<string, number> = {};
  for (const name of APPS) seconds[name] = await secondsToReady(world, name, name.startsWith('api') ? 3_000 : 3_001);

  console.table(seconds);
});

it.each([...APPS, 'pgbouncer-1', 'redis-1', 'postgres-1', 'proxy-1'])(
  'callers see at most a 503 with Retry-After while a killed %s starts again, and no job is lost',
  async (name) => {
    const load = startSubmissions('/jobs', (n) => hook(`${name}-${n}`), 4);
    await untilAccepted(load, 40);
    const pid = await world.stack.pidOf(name);
    process.kill(pid, 'SIGKILL');
    await until(`${name} to run again`, async () => {
      const next = await world.stack.pidOf(name);
      return next > 0 && next !== pid;
    });
    await untilAccepted(load, load.accepted.length + 100);
    await load.stop();

    console.log(answersOf(load));
    // Without the proxy, a connection fails or breaks.
    expectAllowed(load, { mayDisconnect: name === 'proxy-1' });
    await untilDone(await proxyUrl(), person.token, load.accepted);
  },
);

it('a burst of batches through the proxy is accepted, or answered with a 503 and Retry-After', async () => {
  const bodyOf = (batch: number) => ({ jobs: Array.from({ length: 1_000 }, (_, n) => hook(`burst-${batch}-${n}`)) });
  const load = startSubmissions('/jobs/batch', bodyOf, BATCHES);
  await load.stop();

  console.log(answersOf(load));
  expectAllowed(load);
  await untilDone(await proxyUrl(), person.token, load.accepted);
});

it('an upgrade from the previous schema loses no job, and callers see at most a 503 with Retry-After', async () => {
  const { podman, dir, project, providers } = world;
  for (const name of IMAGES) await podman.run('tag', name, `present-${name}`);
  const commit = await previousCommit();
  console.log(`upgrading from ${commit}`);
  const previous = join(dir, 'previous');
  await exportCommit(commit, previous);
  for (const name of IMAGES) await buildImage(podman, previous, name);
  await podman.run('rm', '--all', '--force', '--time', '0');
  await podman.run('volume', 'prune', '--force');
  world.stack = createStack(podman, world.composeFiles, join(project, 'docker'));
  await startAll();
  const load = startSubmissions('/jobs', (n) => hook(`upgrade-${n}`), 4);
  await untilAccepted(load, 100);

  for (const name of IMAGES) await podman.run('tag', `present-${name}`, `localhost/${name}`);
  await world.stack.runOnce('migrate');
  for (const service of ['worker', 'worker-browser', 'api']) await world.stack.replace(service);
  await untilAccepted(load, load.accepted.length + 100);
  await load.stop();

  console.log(answersOf(load));
  expectAllowed(load);
  await untilDone(await proxyUrl(), person.token, load.accepted);
  await runEveryType(person, providers);
});

/** Starts all services, with the role of the apps set as a pooler needs it, and registers a person. */
async function startAll(): Promise<void> {
  const { stack, podman } = world;
  await stack.up('migrate');
  const settings = ["TimeZone = 'UTC'", 'random_page_cost = 1.1', 'jit = off', "statement_timeout = '30s'"];
  const sql = settings.map((setting) => `ALTER ROLE jobline_app SET ${setting};`).join(' ');
  const psql = '/usr/lib/postgresql/17/bin/psql';
  await stack.completed('migrate');
  await podman.run('exec', 'postgres-1', psql, '-h', '/tmp', '-U', 'jobline', '-d', 'jobline', '-c', sql);
  for (const service of ['proxy', 'worker', 'worker-browser']) await stack.up(service);
  person = await register(createCall(await proxyUrl()));
}

const proxyUrl = async () => `http://${await world.stack.addressOf('proxy-1')}`;

const hook = (name: string) => ({
  type: 'webhook',
  payload: { url: `${world.providers.hooks.url}/${name}`, payload: {} },
});

function startSubmissions(path: string, bodyOf: (n: number) => object, callers: number): Load {
  return startLoad({ baseUrl: proxyUrl, token: person.token, path, bodyOf, callers });
}
