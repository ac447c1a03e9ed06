import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { finishedJob, type Person, submitJob, until } from '../harness/index.js';
import { createHoldWorld, type Ending, type HoldWorld, isHeld, LIMIT, limitOf } from './hold-world.js';

let own: HoldWorld;

beforeAll(async () => {
  own = await createHoldWorld();
});
afterEach(() => {
  own.ending = 'done';
  own.endings.clear();
  own.started = [];
});
afterAll(() => own.world.end());

async function withLimit(limit: object = LIMIT): Promise<Person> {
  const person = await own.newPerson();
  const answer = await person.put('/org/limits/erp', limit);
  if (answer.status !== 200) throw new Error(answer.text);
  return person;
}
const jobOf = async (person: Person, id: string) => (await person.get(`/jobs/${id}`)).body;

/** Holds the limit of the organization. */
async function hold(person: Person): Promise<void> {
  await own.endAs(person, 'unavailable', ['f1', 'f2', 'f3']);
  expect(await isHeld(person)).toBe(true);
}

/** A job whose attempt shows that jobs could start until now: it is under no limit, and was submitted after those under test. */
const runOther = async (person: Person) => finishedJob(person, await submitJob(person, 'other', {}));

describe('a limit holds itself', () => {
  it('after so many failures in a row nothing under it starts, and its jobs wait without using a retry', async () => {
    const person = await withLimit();
    expect(await limitOf(person)).toMatchObject({ hold: LIMIT.hold, held_since: null });
    await own.endAs(person, 'unavailable', ['a']);
    await own.endAs(person, 'timeout', ['b']);
    expect(await isHeld(person)).toBe(false);
    const before = Date.now();
    await own.endAs(person, 'unavailable', ['c']);

    const { held_since: since } = await limitOf(person);
    expect(Date.parse(since ?? '')).toBeGreaterThan(before - 60_000);
    const waiting = [await own.submit(person, 'd'), await own.submit(person, 'e', { priority: 9 })];
    expect((await runOther(person)).job.status).toBe('done');
    for (const id of waiting) {
      expect(await jobOf(person, id)).toMatchObject({ status: 'pending', retries: 0, waiting_for: 'limit:erp' });
    }
    expect(own.started).toEqual(['a', 'b', 'c']);
    expect(await limitOf(person)).toMatchObject({ held_since: since, running: 0, waiting: 2 });
  });

  it.each<[Ending, boolean]>([
    ['done', false],
    ['refused', false],
    ['error', true],
    ['postponed', true],
  ])('an attempt that ends as "%s" between the failures keeps the row: %s', async (ending, isRow) => {
    const person = await withLimit();
    await own.endAs(person, 'unavailable', ['a', 'b']);
    await own.endAs(person, ending, ['between']);
    await own.endAs(person, 'unavailable', ['c']);

    expect(await isHeld(person)).toBe(isRow);
    if (isRow) return;
    await own.endAs(person, 'unavailable', ['d']);
    expect(await isHeld(person)).toBe(false);
    await own.endAs(person, 'unavailable', ['e']);
    expect(await isHeld(person)).toBe(true);
  });

  it('with "per": "key" it holds all keys, and jobs that name it count like those of its types', async () => {
    const person = await withLimit({ hold: { after: 2, probe_seconds: 60 }, per: 'key' });
    await own.endAs(person, 'unavailable', ['a'], { limit: 'erp', key: 'one' });
    await own.endAs(person, 'unavailable', ['b'], { limit: 'erp', key: 'two' });

    const id = await own.submit(person, 'c', { limit: 'erp', key: 'three' });
    const free = await own.submit(person, 'd', { key: 'three' });
    expect((await finishedJob(person, free)).job.status).toBe('done');
    expect(await jobOf(person, id)).toMatchObject({ waiting_for: 'limit:erp' });
    expect(own.started).toEqual(['a', 'b', 'd']);
  });

  it('a job under two limits counts in both, and each holds itself by its own number', async () => {
    const person = await withLimit();
    await person.put('/org/limits/second', { hold: { after: 1, probe_seconds: 60 } });
    await own.endAs(person, 'unavailable', ['a'], { limit: 'second' });

    expect([await isHeld(person), await isHeld(person, 'second')]).toEqual([false, true]);
    await own.endAs(person, 'unavailable', ['b', 'c']);
    expect(await isHeld(person)).toBe(true);
    const id = await own.submit(person, 'd', { limit: 'second' });
    expect(await jobOf(person, id)).toMatchObject({ waiting_for: 'limit:erp' });
  });
});

describe('a probe', () => {
  it('is one job, although many wait and two workers take entries, and the first success opens the limit', async () => {
    const person = await withLimit();
    await hold(person);
    const ids = [];
    for (let n = 0; n < 40; n++) ids.push(await own.submit(person, `w${n}`, { max_retries: 3 }));
    own.ending = 'unavailable';
    for (let n = 1; n <= 2; n++) {
      await own.makeProbesDue(person);
      await until('a probe to end', async () => own.started.length === 3 + n && (await limitOf(person)).running === 0);
      await runOther(person);
    }
    expect(own.started.slice(3)).toEqual(['w0', 'w1']);
    expect(await jobOf(person, ids[0] ?? '')).toMatchObject({ status: 'pending', retries: 1, waiting_for: 'retry' });
    expect(await jobOf(person, ids[9] ?? '')).toMatchObject({
      status: 'pending',
      retries: 0,
      waiting_for: 'limit:erp',
    });

    own.ending = 'done';
    await own.makeProbesDue(person);
    for (const id of ids.slice(2)) expect((await finishedJob(person, id)).attempts).toHaveLength(1);
    expect(await limitOf(person)).toMatchObject({ held_since: null, waiting: 0 });
    await own.endAs(person, 'unavailable', ['x', 'y']);
    expect(await isHeld(person)).toBe(false);
  });

  it('a success of an attempt that began before the hold does not open the limit', async () => {
    const person = await withLimit();
    own.endings.set('early', 'wait');
    const early = await own.submit(person, 'early');
    await until('it to run', () => own.started.includes('early'));
    await hold(person);
    own.endings.set('early', 'done');
    expect((await finishedJob(person, early)).job.status).toBe('done');

    expect(await isHeld(person)).toBe(true);
    await own.makeProbesDue(person);
    expect((await finishedJob(person, await own.submit(person, 'probe'))).job.status).toBe('done');
    expect(await isHeld(person)).toBe(false);
  });

  it.each(['refused', 'error', 'postponed', 'timeout'] as const)(
    'a probe that ends as "%s" does not open the limit, and the next one follows after its time',
    async (ending) => {
      const person = await withLimit();
      await hold(person);
      await own.makeProbesDue(person);
      await own.endAs(person, ending, ['first']);
      const id = await own.submit(person, 'second');
      await runOther(person);

      expect(await isHeld(person)).toBe(true);
      expect(await jobOf(person, id)).toMatchObject({ waiting_for: 'limit:erp' });
      expect(own.started).not.toContain('second');
      await own.makeProbesDue(person);
      expect((await finishedJob(person, id)).job.status).toBe('done');
      expect(await isHeld(person)).toBe(false);
    },
  );

  it('a probe that runs longer than its time delays the next, and one that is canceled is followed by the next', async () => {
    const person = await withLimit();
    await hold(person);
    await own.makeProbesDue(person);
    own.endings.set('long', 'wait');
    const long = await own.submit(person, 'long');
    await until('the probe to run', () => own.started.includes('long'));
    const next = await own.submit(person, 'next');
    await own.makeProbesDue(person);
    await runOther(person);
    expect(await jobOf(person, next)).toMatchObject({ waiting_for: 'limit:erp' });
    expect(own.started).not.toContain('next');

    await person.post(`/jobs/${long}/cancel`);
    expect((await finishedJob(person, next)).job.status).toBe('done');
    expect(await isHeld(person)).toBe(false);
  });

  it('a job that another limit keeps from starting is no probe', async () => {
    const person = await withLimit();
    await hold(person);
    await person.put('/org/limits/gate', { paused: true });
    const blocked = await own.submit(person, 'blocked', { limit: 'gate', priority: 9 });
    await own.makeProbesDue(person);
    await runOther(person);
    expect(await isHeld(person)).toBe(true);

    expect((await finishedJob(person, await own.submit(person, 'free'))).job.status).toBe('done');
    expect(await isHeld(person)).toBe(false);
    expect(await jobOf(person, blocked)).toMatchObject({ waiting_for: 'limit:gate' });
  });

  it('a limit that is changed keeps its hold, and one that holds itself no more, or is deleted, lets its jobs start', async () => {
    for (const open of [
      (person: Person) => person.patch('/org/limits/erp', { hold: null, concurrency: 5 }),
      (person: Person) => person.put('/org/limits/erp', { types: ['called'], concurrency: 5 }),
      (person: Person) => person.delete('/org/limits/erp'),
    ]) {
      const person = await withLimit();
      await hold(person);
      const ids = [await own.submit(person, 'x'), await own.submit(person, 'y')];
      const { held_since: since } = await limitOf(person);
      await person.patch('/org/limits/erp', { hold: { after: 5, probe_seconds: 3_600 } });
      expect(await limitOf(person)).toMatchObject({ held_since: since, hold: { after: 5 } });
      expect((await open(person)).status).toBeLessThan(300);
      for (const id of ids) expect((await finishedJob(person, id)).job.status).toBe('done');
      own.started = [];
    }
  });
});
