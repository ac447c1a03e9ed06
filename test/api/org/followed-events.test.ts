import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createWorld,
  type EventReader,
  type Person,
  readEvents,
  register,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;
const ends: (() => unknown)[] = [];

beforeEach(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await world.end();
});

async function read(query = '', lastEventId = ''): Promise<EventReader> {
  const reader = await readEvents(`${api.url}/org/events${query}`, { token: person.token, lastEventId });
  ends.push(reader.close);
  await until('the stream to begin', () => reader.events.some(({ name }) => name === 'listening'));
  return reader;
}

const later = { run_at: new Date(Date.now() + 3_600_000).toISOString() };

async function cancelOne(who = person): Promise<string> {
  const id = await submitJob(who, 'a', {}, later);
  await who.post(`/jobs/${id}/cancel`);
  return id;
}

const idsOf = ({ events }: EventReader) =>
  events.filter(({ name }) => name === 'job.failed').map(({ data }) => data.data.id);
/** The transaction and the event up to which a client has received the stream. */
const passed = (reader: EventReader) => reader.lastEventId().replace(/^\d+\./, '');
const countEvents = (of: Person) => world.db.webhookEvent.count({ where: { orgId: of.orgId } });

it('events are written for an organization only while a stream of it is open, or was a moment ago', async () => {
  const other = await register(api.call);
  await cancelOne();
  const reader = await read();
  await cancelOne(other);
  const id = await cancelOne();
  await until('the event', () => idsOf(reader).length > 0);

  expect(idsOf(reader)).toEqual([id]);
  expect(await countEvents(person)).toBe(1);
  expect(await countEvents(other)).toBe(0);
  await reader.close();
  const leftMs = async () => {
    const { expiresAt } = await world.db.eventListener.findFirstOrThrow({ where: { orgId: person.orgId } });
    return expiresAt.getTime() - Date.now();
  };
  await until('the end to be set', async () => (await leftMs()) <= 60_000);
  expect(await leftMs()).toBeGreaterThan(30_000);
  await world.db.eventListener.updateMany({ data: { expiresAt: new Date() } });
  await cancelOne();
  expect(await countEvents(person)).toBe(1);
  expect((await person.get('/org/webhooks')).body).toEqual([]);
});

it('a stream resumes after its last event, and shows only the events that it chooses', async () => {
  const first = await read('?events=message.*&events=job.failed');
  const ids = [await cancelOne()];
  await until('the first event', () => idsOf(first).length === 1);
  await first.close();
  ids.push(await cancelOne(), await cancelOne());
  const messages = await read('?events=message.*', first.lastEventId());
  const resumed = await read('?events=job.*', first.lastEventId());

  await until('the other events', () => idsOf(resumed).length === 2);
  expect(new Set(idsOf(resumed))).toEqual(new Set(ids.slice(1)));
  expect(resumed.events.map(({ name }) => name)).not.toContain('gap');
  await until('the hidden events to be passed', () => passed(messages) === passed(resumed));
  expect(idsOf(messages)).toEqual([]);
});

it('a stream says between which times events are missing, also if it was open, and goes on', async () => {
  const first = await read();
  await first.close();
  await world.db.eventListener.updateMany({ data: { expiresAt: new Date(Date.now() - 1_000) } });
  await cancelOne();
  const resumed = await read('', first.lastEventId());
  const id = await cancelOne();
  await until('the event', () => idsOf(resumed).length > 0);

  const [gap] = resumed.events;
  expect(gap).toMatchObject({ name: 'gap', data: { from: expect.any(String), to: expect.any(String) } });
  expect(gap?.data.from < gap?.data.to).toBe(true);
  expect(idsOf(resumed)).toEqual([id]);
  const again = await read('', resumed.lastEventId());
  expect(again.events.map(({ name }) => name)).toEqual(['listening']);
});

it('an id of another stream and an unknown event get a 400', async () => {
  for (const id of ['x', '1.2', `1.${2n ** 62n}.00000000-0000-0000-0000-000000000000`])
    expectError(await person.get('/org/events', { headers: { 'last-event-id': id } }), 400, 'validation_failed');
  expectError(await person.get('/org/events?events=job.ended'), 400, 'validation_failed');
});
