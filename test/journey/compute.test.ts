import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  computeProcesses,
  createWorld,
  finishedJob,
  type Person,
  register,
  submitJob,
  until,
  type World,
} from '../harness/index.js';
import { slowPng } from '../image/samples.js';

let world: World;
let person: Person;

beforeEach(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
});
afterEach(() => world.end());

/** A template that doubles a list several times, up to a text of 400 MB: the engine builds it at once. */
const TOO_LARGE = `<p>{% assign l = x | split: "~" %}${'{% assign l = l | concat: l %}'.repeat(9)}{{ l | upcase }}</p>`;

it('a template that crashes its process fails only its own job, and no other job counts a crash', async () => {
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const neighbor = defineHandler({
    type: 'neighbor',
    async run() {
      await held;
      return 'done';
    },
  });
  const catalogue = createCatalogue();
  await world.worker({ catalogue: new Map([...catalogue, [neighbor.type, neighbor]]) });
  const neighborId = await submitJob(person, 'neighbor', {});
  await until(
    'the other job to run',
    async () => (await person.get(`/jobs/${neighborId}`)).body.status === 'processing',
  );

  const payload = { template: TOO_LARGE, data: { x: 'x'.repeat(800_000) } };
  const poison = await finishedJob(person, await submitJob(person, 'generate_pdf', payload, { max_retries: 3 }));
  letGo();
  const other = await finishedJob(person, neighborId);

  expect(poison.job).toMatchObject({ status: 'failed', retries: 0 });
  expect(poison.result.error).toEqual({
    code: 'invalid_payload',
    message: 'the template cannot be rendered: it needs too much memory',
  });
  expect(other.job.status).toBe('done');
  const rows = await world.db.job.findMany({ where: { orgId: person.orgId } });
  expect(rows.map(({ crashCount, attempt }) => ({ crashCount, attempt }))).toEqual([
    { crashCount: 0, attempt: 1 },
    { crashCount: 0, attempt: 1 },
  ]);
});

it('an image job that is canceled leaves no process running', async () => {
  const source = await slowPng();
  const files = await world.receiver(() => ({ body: source }));
  await world.worker({ allowHosts: [files.host] });
  const before = new Set(computeProcesses().map(({ pid }) => pid));
  const job = await submitJob(person, 'compress_image', { url: `${files.url}/a.png` });
  const working = await until('a process to decode the image', () =>
    computeProcesses().find(({ pid, cpuMs }) => !before.has(pid) && cpuMs > 1_000),
  );

  expect((await person.post(`/jobs/${job}/cancel`)).status).toBe(202);

  await until('its process to end', () => !computeProcesses().some(({ pid }) => pid === working.pid));
  expect((await finishedJob(person, job)).result.error.code).toBe('canceled');
});
