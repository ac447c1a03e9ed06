import { parseEnv } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type ContainerWorld, createContainerWorld } from '../containers/container-world.js';
import { payloadsFor } from '../containers/payloads.js';
import { ULIMITS } from '../containers/podman.js';
import { buildImage } from '../containers/project.js';
import { untilHealthy } from '../containers/stack.js';
import { createCall, type Person, register, runToEnd, until } from '../harness/index.js';

const IMAGE = 'jobline-dev';
const NAME = 'dev-1';

let world: ContainerWorld;

beforeAll(async () => {
  world = await createContainerWorld();
  const startedAt = performance.now();
  await buildImage(world.podman, world.project, IMAGE);
  console.log(`built ${IMAGE} in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
});
afterAll(() => world?.end());
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.log((await world.podman.logs(NAME)).split('\n').slice(-40).join('\n'));
});

/** Starts the container with its data in a volume, and waits for its own check of health. Returns its URL. */
async function start(): Promise<string> {
  const { podman, stack } = world;
  const options = ['--detach', '--name', NAME, '--network', 'stack-out', '--volume', `${IMAGE}:/data`, ...ULIMITS];
  const startedAt = performance.now();
  await podman.run('run', ...options, '--pull=never', '--health-interval=disable', `localhost/${IMAGE}`);
  await untilHealthy(podman, NAME);
  console.log(`healthy after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  return `http://${await stack.addressOf(NAME)}:3000`;
}

/** The file exists when the demo account does. */
async function readEnv(): Promise<NodeJS.Dict<string>> {
  let text = '';
  await until('/data/env to exist', async () => {
    text = await world.podman.run('exec', NAME, 'sh', '-c', '[ ! -e /data/env ] || cat /data/env');
    return text !== '';
  });
  return parseEnv(text);
}

it('the container for development runs jobs, and keeps them for the next one', async () => {
  let url = await start();
  const demo = await readEnv();
  expect((await createCall(url)('GET', '/jobs', { key: demo.JOBLINE_API_KEY ?? '' })).status).toBe(200);

  const person = await register(createCall(url));
  await runAll(person);
  await world.podman.run('stop', '--time', '30', NAME);
  await world.podman.run('rm', NAME);
  url = await start();

  expect(await readEnv()).toEqual(demo);
  const { status, body } = await createCall(url)('GET', '/jobs', { token: person.token });
  expect(status).toBe(200);
  expect(body.map((job: { status: string }) => job.status)).toEqual(['done', 'done', 'done']);
});

/** What needs no provider: the sandbox, and the browser of the image. */
async function runAll(person: Person): Promise<void> {
  const payloads = payloadsFor(world.providers);
  for (const type of ['send_email', 'send_chat_message', 'generate_pdf']) {
    const { job, logs, result } = await runToEnd(person, type, payloads[type] ?? {});
    expect(job.status, `${type}: ${JSON.stringify([result.error, logs])}`).toBe('done');
  }
}
