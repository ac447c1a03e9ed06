import type { JobKey, OrgId } from '@jobline/contracts';
import { type EventPosition, eventsNow, LAST_KEY, listEvents } from '@jobline/db';
import { appendLines, insertJobs, insertJobsIn, takeOverOrphaned } from '@jobline/db/job-transitions';
import { newId, randomId } from '@jobline/runtime';
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

/**
 * Reads the events after a position, as a subscriber does. Returns the messages, `created` with the id for new jobs,
 * and the new position.
 */
async function readOn(after: EventPosition, limit = 100): Promise<[string[], EventPosition]> {
  const { events } = await listEvents(world.db, orgId, after, limit);
  const last = events.at(-1);
  const next = last?.line
    ? { xid: last.xid, key: LAST_KEY, id: last.line.id }
    : last && { xid: last.xid, key: last.jobKey, id: 0n };
  return [events.map(({ line, job }) => line?.message ?? `created ${job?.id}`), next ?? after];
}

function newJob(id: string) {
  const key = newId() as JobKey; // made here, so that it is one
  const rest = { type: 'a', queue: 'io', payload: '{}', contentHash: null, priority: 0, maxRetries: 0, runAt: null };
  return { key, orgId, id, ...rest, hasCapacity: false, traceparent: null };
}

it("a reader gets a job's status changes, each with the line that wrote it", async () => {
  const start = await eventsNow(world.db);
  await world.worker();
  await finishedJob(person, await submitJob(person, 'unknown.type', {}));

  const events = await until('the events', async () => {
    const found = await listEvents(world.db, orgId, start, 10);
    return found.events.length > 1 && found.events;
  });

  const message = 'no handler is registered for type "unknown.type"';
  expect(events).toMatchObject([
    { line: null, job: { type: 'unknown.type' } },
    { line: { attempt: 1, level: 'warn', status: 'failed', message } },
  ]);
});

// Ids are assigned before a transaction commits: without the limit, 'late' would be passed and never be read.
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

it('a reader that resumes anywhere gets all later events, with many concurrent writers', async () => {
  const start = await eventsNow(world.db);
  const writers = Array.from({ length: 4 }, async (_, w) => {
    for (let n = 0; n < 50; n++) await writeLine(`${w} ${n}`);
  });
  const seen: string[] = [];
  let place: EventPosition = start;
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

  expect((await listEvents(world.db, other.orgId as OrgId, start, 10)).events).toEqual([]);
});

it('a reader never skips a job whose creation commits after a later one', async () => {
  const start = await eventsNow(world.db);
  const signal = createSignal();
  let isWritten = false;
  const slow = world.db.$transaction(async (session) => {
    await insertJobsIn(session, [newJob('late')]);
    isWritten = true;
    await signal.fired;
  });
  await until('the slow transaction to have written', () => isWritten);
  await insertJobs(world.hot, [newJob('early')]);

  const before = await listEvents(world.db, orgId, start, 10);
  signal.fire();
  await slow;
  const after = await until('both to be shown', async () => {
    const [messages] = await readOn(start);
    return messages.length === 2 && messages;
  });

  expect(before).toEqual({ events: [], isHeldBack: true });
  expect(after).toEqual(['created late', 'created early']);
});

it('jobs that were created together are read page by page, none twice', async () => {
  const start = await eventsNow(world.db);
  await insertJobs(
    world.hot,
    Array.from({ length: 25 }, (_, n) => newJob(`job-${n}`)),
  );
  await writeLine('a line');
  const seen: string[] = [];
  let place: EventPosition = start;
  await until('all events', async () => {
    const [messages, next] = await readOn(place, 4);
    place = next;
    seen.push(...messages);
    return seen.length >= 26;
  });

  expect(new Set(seen).size).toBe(26);
  expect(seen.at(-1)).toBe('a line');
});

// Otherwise the line could become visible after readers have read the lines of the next run.
it('a worker that loses a job while it writes a line has written it before the job is taken over, or not at all', async () => {
  const job = newJob('contended');
  const token = randomId();
  await insertJobs(world.hot, [job]);
  const running = { status: 'processing', attempt: 1, claimToken: token, workerId: randomId() } as const;
  await world.db.job.update({ where: { key: job.key }, data: running });
  const line = {
    key: job.key,
    token,
    kind: 'log',
    level: 'info',
    at: new Date(),
    message: 'in time',
    nth: null,
  } as const;
  const signal = createSignal();
  let isWritten = false;
  const slow = world.db.$transaction(async (session) => {
    await appendLines(session, [line]);
    isWritten = true;
    await signal.fired;
  });
  await until('the slow transaction to have written', () => isWritten);

  const whileHeld = await takeOverOrphaned(world.db, 10);
  signal.fire();
  await slow;
  const afterwards = await takeOverOrphaned(world.db, 10);
  await appendLines(world.db, [{ ...line, message: 'too late' }]);

  expect(whileHeld).toEqual([]);
  expect(afterwards).toHaveLength(1);
  const lines = await world.db.jobLog.findMany({ where: { jobKey: job.key }, orderBy: { id: 'asc' } });
  expect(lines.map(({ kind, message }) => [kind, message])).toEqual([
    ['log', 'in time'],
    ['worker_lost', null],
  ]);
});

function createSignal(): { fired: Promise<void>; fire(): void } {
  let fire: () => void = () => undefined;
  const fired = new Promise<void>((resolve) => {
    fire = resolve;
  });
  return { fired, fire };
}
