import type { OrgId } from '@jobline/contracts';
import { type AttemptSpeed, noteReceiver } from '@jobline/db';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Person, type Received, submitJob, until } from '../harness/index.js';
import { createHookWorld, eventOf, type HookWorld } from './hook-world.js';

/** A third of the usual slots for events. */
const SLOTS = 60;

let hooks: HookWorld;

beforeAll(async () => {
  hooks = await createHookWorld([], SLOTS);
});
beforeEach(() => hooks.reset());
afterAll(() => hooks.world.end());

const never = () => new Promise<never>(() => undefined);

async function createHook(person: Person, path: string): Promise<void> {
  expect((await person.post('/org/webhooks', { url: hooks.url + path, events: ['job.done'] })).status).toBe(201);
}

/** How many attempts a receiver that never answers got before the first of them ended, after 15 s. */
function firstAttempts(path: string): number {
  const attempts = hooks.at(path);
  return attempts.filter(({ at }) => at < (attempts[0]?.at ?? 0) + 14_000).length;
}

async function isGood(): Promise<boolean> {
  const rows = await hooks.world.db.$queryRaw<object[]>`
    SELECT 1 FROM good_receivers g JOIN organizations o ON o.id = g.org_id WHERE o.delivers_for = ${hooks.person.orgId}::uuid`;
  return rows.length > 0;
}

/** Runs jobs; each end is an event for every webhook. */
async function endJobs(person: Person, count: number): Promise<void> {
  const jobs = Array.from({ length: count }, (_, n) => ({ type: 'first', payload: { name: `n:${n}` } }));
  expect((await person.post('/jobs/batch', { jobs })).status).toBe(202);
}

describe('a receiver that does not answer', () => {
  it('gets two attempts at a time, and the other receivers of its organization all theirs', async () => {
    await createHook(hooks.person, '/dead');
    await createHook(hooks.person, '/good');
    hooks.reply = ({ path }) => (path === '/dead' ? never() : {});

    await endJobs(hooks.person, 40);

    await until('all to reach the good one', () => hooks.at('/good').length === 40);
    await until('the dead one to be called', () => hooks.at('/dead').length >= 2);
    expect(firstAttempts('/dead')).toBe(2);
  });

  it('gets no further attempts after a second, although it was good before', async () => {
    await createHook(hooks.person, '/hook');
    await endJobs(hooks.person, 1);
    await until('it to be good', isGood);

    hooks.reply = never;
    await endJobs(hooks.person, 60);

    await until('it to be slow', async () => !(await isGood()));
    const [hook] = (await hooks.person.get('/org/webhooks')).body;
    const ended = (await hooks.deliveriesOf(hook)).filter(({ attempts }) => attempts > 0);
    expect(ended).toHaveLength(1);
    expect(hooks.at('/hook').length).toBeLessThanOrEqual(21);
  });

  it('stays good if one answer is slow, and not if two in a row are', async () => {
    await createHook(hooks.person, '/hook');
    const { orgId } = hooks.person;
    const [{ id: receiver }] = (await hooks.person.get('/org/webhooks')).body;
    // The cast: a person has the id of an organization.
    const note = (how: AttemptSpeed) => noteReceiver(hooks.world.db, orgId as OrgId, receiver, how);
    await endJobs(hooks.person, 1);
    await until('it to be good', isGood);

    await note('slow');
    expect(await isGood()).toBe(true);
    await note('soon');
    await note('slow');
    expect(await isGood()).toBe(true);
    await note('slow');
    expect(await isGood()).toBe(false);
    await note('soon');
    await note('failed');
    expect(await isGood()).toBe(false);
  });

  it('gets up to twenty attempts at a time again after one success', async () => {
    await createHook(hooks.person, '/hook');
    let open = 0;
    let most = 0;
    hooks.reply = async () => {
      most = Math.max(most, ++open);
      if (hooks.at('/hook').length > 1) await until('more to be under way', () => most > 2);
      open--;
      return {};
    };

    await endJobs(hooks.person, 60);

    await until('all to arrive', () => hooks.at('/hook').length === 60);
    expect(most).toBeLessThanOrEqual(20);
  });
});

describe('a healthy receiver', () => {
  /** The longest time from the end of a job until its event arrives, in ms. */
  async function slowest(person: Person, path: string, count: number): Promise<number> {
    let longest = 0;
    for (let n = 0; n < count; n++) {
      const id = await submitJob(person, 'first', { name: `h:${n}` });
      const isOfJob = (request: Received) => eventOf(request).data.id === id;
      await until('the event', () => hooks.at(path).some(isOfJob));
      const request = hooks.at(path).find(isOfJob);
      longest = Math.max(longest, (request?.at ?? 0) - Date.parse(eventOf(request).timestamp));
    }
    return longest;
  }

  it('gets its events soon although its own organization and others have many dead ones', async () => {
    hooks.reply = ({ path }) => (path.startsWith('/dead') ? never() : {});
    await createHook(hooks.person, '/good');
    const idleMs = await slowest(hooks.person, '/good', 10);

    const others = [hooks.person, ...(await Promise.all(Array.from({ length: 5 }, () => hooks.newPerson())))];
    for (const person of others) for (let n = 0; n < 19; n++) await createHook(person, '/dead');
    await Promise.all(others.map((person) => endJobs(person, 20)));
    await until('many to hang', () => hooks.at('/dead').length > SLOTS / 4);

    // Old attempts would hang for 15 s.
    expect(await slowest(hooks.person, '/good', 10)).toBeLessThan(Math.max(3 * idleMs, 5_000));
  });
});
