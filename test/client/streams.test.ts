import { type JobEvent, Jobline } from '@jobline/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../harness/index.js';
import { type ClientWorld, createClientWorld, rejection } from './client-world.js';

let at: ClientWorld;

beforeAll(async () => {
  at = await createClientWorld();
});
afterAll(() => at.end());

/** Follows a job in the background. */
function following(id: string): { events: JobEvent[]; ended: Promise<void> } {
  const events: JobEvent[] = [];
  const follow = async () => {
    for await (const event of at.client.jobs.follow(id)) events.push(event);
  };
  return { events, ended: follow() };
}

function textsOf(events: readonly JobEvent[]): string[] {
  // A report of progress, which is stored at any time, repeats the status.
  return [...new Set(events.map(({ event, data }) => (event === 'status' ? data.status : data.message)))];
}

/** A running job whose log has a line of its handler. */
async function heldJob(world: ClientWorld = at): Promise<string> {
  const { id } = await world.client.jobs.submit('held', {});
  await until('the job to run', async () =>
    (await world.client.jobs.logs(id)).data.some(({ message }) => message === 'holding'),
  );
  return id;
}

describe('following a job', () => {
  it('yields its status and its log, live, until it has ended', async () => {
    const id = await heldJob();
    const { events, ended } = following(id);
    await until('the events so far', () => textsOf(events).includes('holding'));
    at.release();
    await ended;

    const log = (await at.client.jobs.logs(id)).data.map(({ message }) => message);
    expect(textsOf(events)).toEqual(['processing', ...log, 'done']);
    expect(events[1]?.data).toMatchObject({ job_id: id, kind: 'started' });
  });

  it('yields the status and the whole log of a job that has finished already', async () => {
    const { id } = await at.client.jobs.submit('failing', {}, { max_retries: 2 });
    await at.client.jobs.wait(id);
    const { events, ended } = following(id);
    await ended;

    const log = (await at.client.jobs.logs(id)).data.map(({ message }) => message);
    expect(textsOf(events)).toEqual(['failed', ...log]);
  });

  it('rejects for a job that does not exist, and with the reason of its signal', async () => {
    expect(await rejection(following('none').ended)).toMatchObject({ code: 'not_found' });

    const { id } = await at.client.jobs.submit('echo', {}, { run_at: new Date(Date.now() + 600_000).toISOString() });
    const stop = new AbortController();
    const read = async () => {
      for await (const _event of at.client.jobs.follow(id, { signal: stop.signal })) stop.abort(new Error('enough'));
    };
    expect(await rejection(read())).toEqual(new Error('enough'));
    await until('the stream to end', () => at.api.openStreams() === 0);
  });
});

describe('waiting for a job', () => {
  it('resolves with the job, also with a failed one', async () => {
    const { id } = await at.client.jobs.submit('failing', {});

    expect(await at.client.jobs.wait(id)).toMatchObject({ id, status: 'failed', payload: {} });
    await until('its stream to end', () => at.api.openStreams() === 0);
  });

  it('rejects after its time limit, and with the reason of its signal', async () => {
    const { id } = await at.client.jobs.submit('echo', {}, { run_at: new Date(Date.now() + 600_000).toISOString() });

    const late = await rejection(at.client.jobs.wait(id, { timeoutMs: 50 }));
    expect(late).toMatchObject({ code: 'timeout', status: 0 });
    const stop = new AbortController();
    const waiting = rejection(at.client.jobs.wait(id, { signal: stop.signal }));
    stop.abort(new Error('enough'));
    expect(await waiting).toEqual(new Error('enough'));
    expect(await rejection(at.client.jobs.wait('none'))).toMatchObject({ code: 'not_found' });
    await until('the streams to end', () => at.api.openStreams() === 0);
  });

  it('uses no event stream if there is none', async () => {
    const polling = await createClientWorld({ streams: { maxPerOrg: 0 } });
    try {
      const id = await heldJob(polling);
      const waiting = polling.client.jobs.wait(id);
      polling.release();
      expect((await waiting).status).toBe('done');
    } finally {
      await polling.end();
    }
  });
});

it('waiting and following survive a broken connection and a restart of the API', async () => {
  const faulty = await createClientWorld();
  let opened = 0;
  const client = faulty.clientWith({
    fetch(input, init) {
      if (String(input).endsWith('/events')) opened++;
      return fetch(input, init);
    },
  });
  try {
    const id = await heldJob(faulty);
    const waiting = client.jobs.wait(id);
    const events: JobEvent[] = [];
    const following = (async () => {
      for await (const event of client.jobs.follow(id)) events.push(event);
    })();
    await until('the events so far', () => opened === 2 && textsOf(events).includes('holding'));

    faulty.proxy.cut();
    await until('the streams to be open again', () => opened >= 4 && faulty.api.openStreams() === 2);
    await faulty.restartApi();
    faulty.release();

    expect((await waiting).status).toBe('done');
    await following;
    const { data } = await client.jobs.logs(id);
    expect(textsOf(events)).toEqual(['processing', ...data.map(({ message }) => message), 'done']);
  } finally {
    await faulty.end();
  }
});

it('a client that gives up following says so', async () => {
  const client = new Jobline({ url: at.proxy.url, key: at.key, fetch: async () => new Response('', { status: 200 }) });
  const follow = async () => {
    for await (const _event of client.jobs.follow('any'));
  };

  expect(await rejection(follow())).toMatchObject({ code: 'unreachable' });
});

describe('a response that is not JSON', () => {
  const opened = (signal: AbortSignal) =>
    at.session.open('followJobs', { headers: { accept: 'text/event-stream' } }, { signal, timeoutMs: 5_000 });

  it('is opened by the name of its operation, with headers', async () => {
    const stop = new AbortController();
    const { headers, body } = await opened(stop.signal);
    const { value } = (await body?.getReader().read()) ?? {};
    stop.abort();

    expect(headers.get('content-type')).toContain('text/event-stream');
    expect(new TextDecoder().decode(value)).toContain(':');
  });

  it('ends with the signal while it is read', async () => {
    const stop = new AbortController();
    const response = await opened(stop.signal);
    const read = rejection(response.text());
    stop.abort(new Error('enough'));

    expect(await read).toMatchObject({ message: 'enough' });
  });
});
