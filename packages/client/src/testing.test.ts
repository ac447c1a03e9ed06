import { expect, it } from 'vitest';
import { Jobline } from './jobline.js';
import { fakeJobline } from './testing.js';
import type { JobEvent } from './types.js';

const SMS = { to: '+254700000001', message: 'Hello' };
const SENT = { provider: 'sandbox', provider_message_id: '1', segments: 1 };

it('a fake client is a Jobline, remembers what was submitted, and ends a job for those who wait', async () => {
  const fake = fakeJobline();
  const jobline: Jobline = fake;
  const submitting = jobline.jobs.submit('send_sms', SMS, { tags: ['hello'], idempotencyKey: 'one' });

  expect(fake).toBeInstanceOf(Jobline);
  expect(fake.submitted).toEqual([{ id: 'fake-1', type: 'send_sms', payload: SMS, tags: ['hello'] }]);
  const { id, status } = await submitting;
  expect({ id, status }).toEqual({ id: 'fake-1', status: 'pending' });
  const waiting = jobline.jobs.wait(id);
  const events = readAll(jobline.jobs.follow(id));
  fake.finish(id, SENT);

  expect(await waiting).toMatchObject({ id, type: 'send_sms', status: 'done', payload: SMS, tags: ['hello'] });
  expect((await events).map(({ data }) => data)).toMatchObject([{ status: 'pending' }, { status: 'done' }]);
  expect(await jobline.jobs.result(id)).toMatchObject({ status: 'done', result: SENT, error: null });
  expect((await jobline.jobs.submit('send_sms', SMS, { tags: ['hello'], idempotencyKey: 'one' })).id).toBe(id);
  expect(fake.submitted).toHaveLength(1);
});

it('a stream that is open sees the end of a job, and a failed job has its error', async () => {
  const fake = fakeJobline();
  const { id } = await fake.jobs.submit('resize', {}, { id: 'own' });
  const stream = fake.jobs.follow(id);
  const first = await stream.next();
  fake.fail(id, { code: 'timeout', message: 'It took too long.' });

  expect(first.value).toMatchObject({ event: 'status', data: { id: 'own', status: 'pending' } });
  expect(await readAll(stream)).toMatchObject([{ event: 'status', data: { status: 'failed' } }]);
  expect(await fake.jobs.wait(id)).toMatchObject({ status: 'failed' });
  expect(await fake.jobs.result(id)).toMatchObject({ error: { code: 'timeout', message: 'It took too long.' } });
  expect(() => fake.finish(id)).toThrow('failed already');
  expect(() => fake.finish('none')).toThrow('no job none');
});

it('a fake client lists, cancels, retries and deletes its jobs, and rejects what it does not answer', async () => {
  const fake = fakeJobline();
  const list = [1, 2, 3].map((n) => ({ type: 'count', payload: { n }, key: String(n) }));
  const ids = await fake.jobs.submitMany(list);
  const [first = '', second = ''] = ids;
  await fake.jobs.cancel(first);
  fake.finish(second, 2);

  expect(fake.submitted.map(({ payload }) => payload)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect((await fake.jobs.list({ status: 'failed' })).data).toMatchObject([{ id: first }]);
  expect((await fake.jobs.list({ key: '3' })).data).toMatchObject([{ id: ids[2] }]);
  expect(await fake.jobs.retry(first)).toMatchObject({ status: 'pending' });
  await fake.jobs.delete(second);
  await expect(fake.jobs.get(second)).rejects.toMatchObject({ code: 'not_found', status: 404 });
  await expect(fake.jobs.submit('count', {}, { id: first })).rejects.toMatchObject({ code: 'conflict' });
  await expect(fake.schedules.list()).rejects.toThrow('does not answer listSchedules');
});

async function readAll(events: AsyncIterable<JobEvent>): Promise<JobEvent[]> {
  const all: JobEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
