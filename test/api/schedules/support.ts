import type { Schedule } from '@jobline/client';
import type { Db } from '@jobline/db';
import { type Person, until } from '../../harness/index.js';

/** A job of a schedule, as its detail shows it. */
export interface ScheduledJob {
  id: string;
  status: string;
  schedule_id: string;
  planned_at?: string;
  [field: string]: unknown;
}

let count = 0;

/** A new schedule whose time is far away, unless the fields say otherwise. */
export async function createSchedule(person: Person, more: object = {}): Promise<Schedule> {
  const timing = 'cron' in more ? {} : { every_seconds: 3_600 };
  const body = { name: `schedule ${++count}`, type: 'no.handler', payload: {}, ...timing, ...more };
  const answer = await person.post('/schedules', body);
  if (answer.status !== 201) throw new Error(`POST /schedules: ${answer.status} ${answer.text}`);
  return answer.body;
}

export async function readSchedule(person: Person, id: string): Promise<Schedule> {
  return (await person.get(`/schedules/${id}`)).body;
}

/**
 * Moves the next time of a schedule into the past, and the anchor of its period with it: so further times follow, one period
 * after the other. Returns the time.
 */
export async function makeDue(db: Db, id: string, agoSeconds = 0): Promise<Date> {
  const [row] = await db.$queryRaw<{ at: Date }[]>`
    UPDATE schedules SET next_run_at = t.at, anchor_at = t.at - coalesce(every_seconds, 1) * interval '1 s'
    FROM (SELECT date_trunc('milliseconds', clock_timestamp()) - ${agoSeconds}::float8 * interval '1 s' AS at) AS t
    WHERE id = ${id}::uuid RETURNING t.at`;
  if (!row) throw new Error(`there is no schedule ${id}`);
  return row.at;
}

/** The details of the jobs of a schedule, the earliest planned first. */
export async function jobsOf(person: Person, scheduleId: string): Promise<ScheduledJob[]> {
  const list = (await person.get(`/jobs?schedule=${scheduleId}&limit=1000`)).body as { id: string }[];
  const jobs = await Promise.all(list.map(async ({ id }) => (await person.get(`/jobs/${id}`)).body as ScheduledJob));
  return jobs.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Makes the jobs that are due at once, as any change of a schedule does. A planner would make them within a second. */
export async function planNow(person: Person, { id, missed }: Pick<Schedule, 'id' | 'missed'>): Promise<void> {
  const answer = await person.patch(`/schedules/${id}`, { missed });
  if (answer.status !== 200) throw new Error(`PATCH /schedules: ${answer.status} ${answer.text}`);
}

/** Waits until a planner has made what is due. */
export async function untilPlanned(db: Db, id: string): Promise<void> {
  await until('the schedule to be planned', async () => {
    const [row] = await db.$queryRaw<{ isDue: boolean }[]>`
      SELECT next_run_at <= clock_timestamp() AS "isDue" FROM schedules WHERE id = ${id}::uuid`;
    return row?.isDue === false;
  });
}

/** The id of the job of a planned time. */
export function jobIdOf(scheduleId: string, at: Date | string): string {
  return `${scheduleId}-${new Date(at).toISOString().replaceAll(/[-:]/g, '').slice(0, 15)}Z`;
}
