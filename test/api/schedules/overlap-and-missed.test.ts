import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, finishedJob, type Person, register, until, type World } from '../../harness/index.js';
import { createSchedule, jobIdOf, jobsOf, makeDue, planNow, readSchedule } from './support.js';

let world: World;
let person: Person;
/** Jobs end only when this is false, or when they are canceled. */
let isHeld = false;

const held = defineHandler({
  type: 'held',
  async run(_payload, { signal }) {
    await until('it to be let go', () => !isHeld || signal.aborted);
    signal.throwIfAborted();
  },
});

beforeAll(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
});
afterAll(async () => {
  isHeld = false;
  await world.end();
});

/** Plans a time of the past. Returns the id of its job. */
async function planAt(id: string, agoSeconds: number): Promise<string> {
  const at = await makeDue(world.db, id, agoSeconds);
  await planNow(person, await readSchedule(person, id));
  return jobIdOf(id, at);
}

const statuses = async (id: string) => (await jobsOf(person, id)).map(({ status }) => status);
const codeOf = async (id: string) => (await person.get(`/jobs/${id}/result`)).body.error?.code;

describe('overlap, while the jobs wait', () => {
  it('allow makes each job', async () => {
    const { id } = await createSchedule(person);
    for (const ago of [30, 20, 10]) await planAt(id, ago);
    expect(await statuses(id)).toEqual(['pending', 'pending', 'pending']);
    expect((await readSchedule(person, id)).skipped).toBe(0);
  });

  it('skip makes no job while an earlier one has not finished, and counts it', async () => {
    const { id } = await createSchedule(person, { overlap: 'skip' });
    const first = await planAt(id, 40);
    for (const ago of [30, 20]) await planAt(id, ago);
    expect((await jobsOf(person, id)).map((job) => job.id)).toEqual([first]);
    expect(await readSchedule(person, id)).toMatchObject({ skipped: 2, last_job_id: first });

    await person.post(`/jobs/${first}/cancel`);
    const next = await planAt(id, 10);
    expect((await jobsOf(person, id)).map((job) => job.id)).toEqual([first, next]);
    expect((await readSchedule(person, id)).skipped).toBe(2);
  });

  it('skip waits for a planned job that was retried, and not for runs by hand', async () => {
    const { id } = await createSchedule(person, { overlap: 'skip' });
    await person.post(`/schedules/${id}/run`);
    const first = await planAt(id, 40);
    expect(await statuses(id)).toEqual(['pending', 'pending']);
    await person.post(`/jobs/${first}/cancel`);
    await person.post(`/jobs/${first}/retry`);
    await planAt(id, 30);
    expect((await readSchedule(person, id)).skipped).toBe(1);
  });

  it('a rerun of a planned job does not count for overlap', async () => {
    const { id } = await createSchedule(person, { overlap: 'skip' });
    const first = await planAt(id, 40);
    await person.post(`/jobs/${first}/cancel`);
    expect((await person.post(`/jobs/${first}/rerun`)).status).toBe(202);
    await planAt(id, 30);
    expect(await statuses(id)).toEqual(['failed', 'pending']);
  });

  it('cancel_previous cancels every planned job that has not finished, but no run by hand', async () => {
    const { id } = await createSchedule(person);
    const byHand = (await person.post(`/schedules/${id}/run`)).body.id;
    const earlier = [];
    for (const ago of [40, 30, 20]) earlier.push(await planAt(id, ago));
    await person.patch(`/schedules/${id}`, { overlap: 'cancel_previous' });
    const last = await planAt(id, 10);
    for (const job of earlier) await finishedJob(person, job);

    for (const job of earlier) expect(await codeOf(job)).toBe('canceled');
    for (const job of [byHand, last]) expect((await person.get(`/jobs/${job}`)).body.status).toBe('pending');
    expect(await readSchedule(person, id)).toMatchObject({ skipped: 0, last_job_id: last });
  });

  it('cancel_previous cancels hundreds of jobs, however few one step cancels', async () => {
    const { id } = await createSchedule(person, { every_seconds: 60, missed: 'run_all' });
    await planAt(id, 6_030);
    expect(await statuses(id)).toHaveLength(101);
    await person.patch(`/schedules/${id}`, { overlap: 'cancel_previous' });
    await planAt(id, 0);
    await until('all but the last to be canceled', async () => {
      return (await world.db.liveJob.count({ where: { scheduleId: id } })) === 1;
    });
    await until('nothing to be left to cancel', async () => {
      const { cancelBefore } = await world.db.schedule.findUniqueOrThrow({ where: { id } });
      return cancelBefore === null;
    });
  });

  it('several times that are due at the same moment follow the same rules', async () => {
    const skipping = await createSchedule(person, { every_seconds: 10, overlap: 'skip' });
    const canceling = await createSchedule(person, { every_seconds: 10, overlap: 'cancel_previous' });
    for (const { id } of [skipping, canceling]) await planAt(id, 35);

    expect(await statuses(skipping.id)).toEqual(['pending']);
    expect((await readSchedule(person, skipping.id)).skipped).toBe(3);
    await until('all but the last to be canceled', async () => {
      const [last, ...others] = (await statuses(canceling.id)).reverse();
      return last === 'pending' && others.length === 3 && others.every((status) => status === 'failed');
    });
    for (const { id } of [skipping, canceling]) await person.delete(`/schedules/${id}`);
  });
});

describe('missed times', () => {
  /** The ages in whole minutes, from the oldest to the newest, of the jobs that are made. */
  async function agesAfter(missed: string, minutesAgo: number): Promise<number[]> {
    const { id } = await createSchedule(person, { every_seconds: 60, missed });
    const first = await makeDue(world.db, id, minutesAgo * 60 + 30);
    await planNow(person, await readSchedule(person, id));
    const jobs = await jobsOf(person, id);
    for (const job of jobs) expect(job.id).toBe(jobIdOf(id, job.planned_at ?? ''));
    const { next_run_at } = await readSchedule(person, id);
    expect(Date.parse(next_run_at ?? '')).toBe(first.getTime() + (minutesAgo + 1) * 60_000);
    return jobs.map(({ planned_at }) => minutesAgo - (Date.parse(planned_at ?? '') - first.getTime()) / 60_000);
  }

  it('run_once makes one job for all of them, planned at the last of them', async () => {
    expect(await agesAfter('run_once', 10)).toEqual([1, 0]);
  });

  it('run_all makes one job for each', async () => {
    expect(await agesAfter('run_all', 10)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  it('run_all makes the latest 100', async () => {
    const ages = await agesAfter('run_all', 500);
    expect(ages).toEqual(Array.from({ length: 101 }, (_, n) => 100 - n));
  });

  it('skip makes none of them', async () => {
    expect(await agesAfter('skip', 10)).toEqual([0]);
  });

  it('missed times are not counted as skipped, and the policy is that of the moment when they are made', async () => {
    const { id } = await createSchedule(person, { every_seconds: 3_600, missed: 'skip' });
    await planAt(id, 600);
    expect(await jobsOf(person, id)).toEqual([]);
    expect(await readSchedule(person, id)).toMatchObject({ skipped: 0, last_run_at: null, last_job_id: null });
  });

  it('run_all with skip makes the first and skips the others while it has not ended', async () => {
    const { id } = await createSchedule(person, { every_seconds: 60, missed: 'run_all', overlap: 'skip' });
    const first = await planAt(id, 330);
    expect((await jobsOf(person, id)).map((job) => job.id)).toEqual([first]);
    expect((await readSchedule(person, id)).skipped).toBe(5);
  });
});

describe('overlap, while the jobs run', () => {
  beforeAll(async () => {
    await world.worker({ catalogue: createCatalogue([held]) });
  });

  async function runningJob(id: string, ago: number): Promise<string> {
    const job = await planAt(id, ago);
    await until('it to run', async () => (await person.get(`/jobs/${job}`)).body.status === 'processing');
    return job;
  }

  it('skip waits for the end of a running job', async () => {
    isHeld = true;
    const { id } = await createSchedule(person, { type: 'held', overlap: 'skip' });
    const first = await runningJob(id, 40);
    await planAt(id, 30);
    expect((await readSchedule(person, id)).skipped).toBe(1);
    isHeld = false;
    await finishedJob(person, first);
    await finishedJob(person, await planAt(id, 20));
    expect((await readSchedule(person, id)).skipped).toBe(1);
  });

  it('cancel_previous stops a running job, and the next one runs', async () => {
    isHeld = true;
    const { id } = await createSchedule(person, { type: 'held', overlap: 'cancel_previous' });
    const first = await runningJob(id, 40);
    const second = await runningJob(id, 30);
    expect((await finishedJob(person, first)).result.error.code).toBe('canceled');
    isHeld = false;
    expect((await finishedJob(person, second)).job.status).toBe('done');
  });
});
