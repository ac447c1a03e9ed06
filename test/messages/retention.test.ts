import { newId } from '@jobline/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type Person, register, until, type World } from '../harness/index.js';

const DAYS = 3;

let world: World;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
});
afterAll(() => world.end());

it('a message is deleted with its feedback after the retention time of jobs, but not before its job', async () => {
  const daysAgo = (n: number) => new Date(Date.now() - n * 24 * 3_600_000);
  const store = async (subject: string, at: Date, jobKey: string | null = null) => {
    const ms = at.getTime().toString(16).padStart(12, '0');
    const id = `${ms.slice(0, 8)}-${ms.slice(8)}${newId().slice(13)}`;
    const times = { calledAt: at, createdAt: at, updatedAt: at };
    await world.db.message.create({
      data: {
        id,
        orgId: person.orgId,
        channel: 'email',
        provider: 'sendgrid',
        recipient: 'a@b.example',
        subject,
        body: '',
        jobKey,
        ...times,
      },
    });
    const event = { provider: 'sendgrid', messageId: id, kind: 'delivered', receivedAt: at };
    await world.db.messageEvent.create({ data: { ...event, eventId: subject } });
  };
  await person.post('/jobs', { type: 'later', payload: {}, run_at: new Date(Date.now() + 3_600_000).toISOString() });
  const { key } = await world.db.job.findFirstOrThrow();
  await store('old', daysAgo(3.1));
  await store('of a job that is gone', daysAgo(9), newId());
  await store('of a job that is kept', daysAgo(9), key);
  await store('new', daysAgo(2.9));
  for (const [eventId, at] of [
    ['old-unknown', daysAgo(3.1)],
    ['new-unknown', daysAgo(2.9)],
  ] as const) {
    const event = { provider: 'sendgrid', namedId: newId(), kind: 'delivered', receivedAt: at };
    await world.db.messageEvent.create({ data: { ...event, eventId } });
  }

  await world.worker({ retentionDays: DAYS });
  await until('the old ones to go', async () => (await world.db.messageEvent.count()) === 3);

  const left = await world.db.message.findMany({ orderBy: { createdAt: 'asc' } });
  expect(left.map(({ subject }) => subject)).toEqual(['of a job that is kept', 'new']);
  const events = await world.db.messageEvent.findMany({ orderBy: { id: 'asc' } });
  expect(events.map(({ eventId }) => eventId)).toEqual(['of a job that is kept', 'new', 'new-unknown']);
});
