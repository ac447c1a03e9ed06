import type { OrgId } from '@jobline/contracts';
import { type EventCursor, eventsNow, listEvents } from '@jobline/db';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorld, finishedJob, type Person, register, submitJob, until, type World } from '../harness/index.js';

let world: World;
let person: Person;
let orgId: OrgId;

beforeEach(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
  orgId = person.orgId as OrgId; // as the API gave it
});
afterEach(() => world.end());

async function writeLine(message: string, session: Pick<World['db'], '$executeRaw'> = world.db): Promise<void> {
  await session.$executeRaw`
    INSERT INTO job_logs (job_key, org_id, attempt, level, message, at)
    VALUES (gen_random_uuid(), ${orgId}::uuid, 1, 'info', ${message}, now())`;
}

/** Reads on from a place, as a subscriber does; gives the messages and the new place. */
async function readOn(after: EventCursor, limit = 100): Promise<[string[], EventCursor]> {
  const events = await listEvents(world.db, orgId, after, limit);
  const last = events.at(-1);
  return [events.map((event) => event.message), last ? { xid: last.xid, id: last.id } : after];
}

it("a reader gets a job's changes of status, each on the line that it wrote", async () => {
  const start = await eventsNow(world.db);
  await world.worker();
  await finishedJob(person, await submitJob(person, 'nobody.has.it', {}));

  const events = await until('the event', async () => {
    const found = await listEvents(world.db, orgId, start, 10);
    return found.length > 0 && found;
  });

  expect(events).toMatchObject([
    { attempt: 1, level: 'warn', status: 'failed', message: 'no handler is registered for type "nobody.has.it"' },
  ]);
});

// Ids are given before a transaction commits: without the stop, 'late' would be passed by and never be read.
it('a reader never skips a line whose transaction commits after a later one', async () => {
  const start = await eventsNow(world.db);
  let commit: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let isWritten = false;
  const slow = world.db.$transaction(async (session) => {
    await writeLine('late', session);
    isWritten = true;
    await held;
  });
  await until('the slow transaction to have written', () => isWritten);
  await writeLine('early');

  const [before, place] = await readOn(start);
  commit();
  await slow;
  // Other tests write too, and readers stop below the oldest writer of the whole server.
  const after = await until('both to be shown', async () => {
    const [messages] = await readOn(place);
    return messages.length === 2 && messages;
  });

  expect(before).toEqual([]);
  expect(after).toEqual(['late', 'early']);
});

it('a reader that resumes anywhere gets all that comes after, under many writers', async () => {
  const start = await eventsNow(world.db);
  const writers = Array.from({ length: 4 }, async (_, w) => {
    for (let n = 0; n < 50; n++) await writeLine(`${w} ${n}`);
  });
  const seen: string[] = [];
  let place = start;
  const reader = until('all lines', async () => {
    const [messages, next] = await readOn(place, 7);
    place = next;
    seen.push(...messages);
    return seen.length >= 200;
  });
  await Promise.all([...writers, reader]);

  expect(new Set(seen).size).toBe(200);
  for (let w = 0; w < 4; w++) {
    const own = seen.filter((message) => message.startsWith(`${w} `));
    expect(own).toEqual(Array.from({ length: 50 }, (_, n) => `${w} ${n}`));
  }
});

it("another organization's events are not shown", async () => {
  const start = await eventsNow(world.db);
  await writeLine('mine');

  const other = await register((await world.api()).call);

  expect(await listEvents(world.db, other.orgId as OrgId, start, 10)).toEqual([]);
});
