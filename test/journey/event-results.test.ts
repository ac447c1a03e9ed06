import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  type Person,
  type Received,
  register,
  submitJob,
  until,
  type World,
} from '../harness/index.js';
import { eventOf } from './hook-world.js';

const LIMIT = 65_536;

let world: World;
let person: Person;
let receiver: { url: string; host: string; received: Received[] };
/** What the job returns. */
let result: unknown;

beforeAll(async () => {
  world = await createWorld();
  receiver = await world.receiver(() => ({}));
  const returning = defineHandler({ type: 'returning', run: async () => result });
  const catalogue = createCatalogue([returning]);
  await world.worker({ catalogue, queues: ['io', 'events'], allowHosts: [receiver.host] });
  person = await register((await world.api()).call);
  await person.post('/org/webhooks', { url: receiver.url, events: ['job.*'] });
});
beforeEach(() => receiver.received.splice(0));
afterAll(() => world.end());

/** Runs a job with this result, and returns the request with its end. */
async function endWith(value: unknown): Promise<Received> {
  result = value;
  const id = await submitJob(person, 'returning', {});
  await finishedJob(person, id);
  const ofJob = () => receiver.received.find((request) => eventOf(request).data.id === id);
  return until('the event', () => ofJob() ?? false);
}

it.each([{ answer: 42, nothing: null, list: [1, null] }, 'a text with "quotes" and }', null, [], 0, false])(
  'job.done carries the result %j',
  async (value) => {
    const { data } = eventOf(await endWith(value));

    expect(data).toMatchObject({ status: 'done', result: value });
    expect(data).not.toHaveProperty('result_omitted');
  },
);

it('an event of exactly 64 KiB carries the result, and one byte more is omitted', async () => {
  const empty = Buffer.byteLength((await endWith('')).text);
  const fits = await endWith('x'.repeat(LIMIT - empty));
  const exceeds = await endWith('x'.repeat(LIMIT - empty + 1));

  expect(Buffer.byteLength(fits.text)).toBe(LIMIT);
  expect(eventOf(fits).data.result).toHaveLength(LIMIT - empty);
  const { data } = eventOf(exceeds);
  expect(data).toMatchObject({ type: 'returning', status: 'done', result_omitted: true });
  expect(data).not.toHaveProperty('result');
});

it.each([70_000, 1_000_000])('a result of %i bytes is omitted', async (bytes) => {
  const { data } = eventOf(await endWith('x'.repeat(bytes)));

  expect(data).toMatchObject({ status: 'done', result_omitted: true });
  expect(data).not.toHaveProperty('result');
});
