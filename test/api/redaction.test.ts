import { randomBytes } from 'node:crypto';
import { endpoints } from '@jobline/api/endpoints';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import type { RunningWorker } from '@jobline/worker/start';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  type EventReader,
  finishedJob,
  type Person,
  type Receiver,
  readEvents,
  register,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';
import { keepingLogger } from './support.js';

const KEYS = ['secret', 'to', 'subject', 'body', 'message', 'code', 'ref', 'parameters'];
const PAGES = ['/', '/login', '/email', '/sms', '/chat', '/templates', '/job/some-id'];
/** Where an organization that redacts nothing sees values of payloads. */
const SHOWN = [
  '/chat/messages',
  '/chat/messages/:id',
  '/email/messages',
  '/email/messages/:id',
  '/jobs',
  '/jobs/:id',
  '/org/webhooks/:id/deliveries/:delivery',
  '/search',
  '/sms/messages',
  '/sms/messages/:id',
];

const handlers = [
  defineHandler({ type: 'notes', run: async () => ({ ok: true }) }),
  defineHandler({
    type: 'fails',
    async run() {
      throw new Error('it broke');
    },
  }),
  defineHandler({
    type: 'makes',
    async run(_payload, { log, saveArtifact }) {
      log('info', 'made a file');
      await saveArtifact({ name: 'a.txt', contentType: 'text/plain', bytes: Buffer.from('a file') });
      return { file: 'a.txt' };
    },
  }),
];

/** An organization whose jobs have a text of its own in payload values. */
interface Subject {
  person: Person;
  /** At most 12 characters, because a `ref` has no more. */
  marker: string;
  jobIds: string[];
  stream: EventReader;
}

let world: World;
let api: TestApi;
let worker: RunningWorker;
let receiver: Receiver;
let redacting: Subject;
let open: Subject;
const { log, lines } = keepingLogger();

beforeAll(async () => {
  world = await createWorld();
  receiver = await world.receiver();
  api = await world.api({ log });
  worker = await startWorker();
  redacting = await createSubject({ payload_keys: KEYS, after_days: 0 });
  open = await createSubject({ payload_keys: ['unused'], after_days: 0 });
});
afterAll(() => world.end());

function startWorker(): Promise<RunningWorker> {
  return world.worker({
    catalogue: createCatalogue([...createCatalogue().values(), ...handlers]),
    allowHosts: [receiver.host],
    log,
  });
}

async function createSubject(redact: object): Promise<Subject> {
  const person = await register(api.call);
  const marker = `m${randomBytes(5).toString('hex')}`;
  await person.patch('/org/settings', { redact });
  await person.post('/org/webhooks', { url: receiver.url, events: ['*'] });
  const template = { name: 'code', kind: 'email', subject: 'Code {{ code }}', body: 'Your code is {{ code }}.' };
  await person.post('/org/templates', template);
  const stream = await readEvents(`${api.url}/jobs/events`, { token: person.token });
  const jobIds: string[] = [];
  for (const [type, payload] of payloadsWith(marker)) {
    jobIds.push(await submitJob(person, type, payload, { callback_url: receiver.url }));
  }
  for (const id of jobIds) await finishedJob(person, id);
  await until('every event to be delivered', async () => {
    const where = { orgId: person.orgId };
    const planned = await world.db.webhookEvent.count({ where: { ...where, isPlanned: false } });
    return planned + (await world.db.webhookDelivery.count({ where: { ...where, status: 'pending' } })) === 0;
  });
  return { person, marker, jobIds, stream };
}

function payloadsWith(marker: string): [string, object][] {
  return [
    ['notes', { secret: marker, list: [{ secret: [marker] }], kept: 'plain' }],
    ['fails', { deep: { secret: { n: marker } } }],
    ['makes', { secret: marker }],
    ['webhook', { url: receiver.url, payload: { secret: marker } }],
    ['send_email', { to: `${marker}@example.com`, subject: marker, body: marker }],
    ['send_email', { to: 'ada@example.com', template: 'code', data: { code: marker } }],
    ['send_sms', { to: '+254700000001', message: marker }],
    ['send_chat_message', { to: '+254700000001', message: marker }],
    ['send_chat_message', { to: '+254700000001', template: { name: 'code', language: 'en', parameters: [marker] } }],
    ['mobile_money_stk', { phone: '254700000001', amount: 7, ref: marker }],
  ];
}

/** The paths of a GET endpoint with every id that the list above it has. */
async function pathsOf(person: Person, path: string): Promise<string[]> {
  const [, list = '', name = '', rest = ''] = /^(.*?)\/:(\w+)(.*)$/.exec(path) ?? [];
  if (name === '') return [path];
  const { body } = await person.get(list);
  const names: string[] = body.map((row: Record<string, string>) => row[name === 'name' ? 'name' : 'id']);
  return (await Promise.all(names.map((one) => pathsOf(person, `${list}/${one}${rest}`)))).flat();
}

/** The endpoints whose responses to an organization contain its marker. */
async function showing({ person, marker }: Subject): Promise<string[]> {
  const found = new Set<string>();
  for (const { method, path, auth, resumable } of Object.values(endpoints)) {
    if (method !== 'get' || auth === 'none' || resumable) continue;
    const queries: Record<string, string> = {
      '/search': `?q=${encodeURIComponent(marker)}`,
      '/jobs': '?detail=full&include=payload,result',
    };
    for (const known of await pathsOf(person, path)) {
      const one = known + (queries[path] ?? '');
      const { status, text } = await person.get(one);
      expect(status, `GET ${one}: ${text}`).toBe(200);
      if (text.includes(marker)) found.add(path);
    }
  }
  return [...found].sort();
}

/** The tables that contain a text. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await world.db.$queryRaw<{ name: string }[]>`
    SELECT c.relname AS name FROM pg_class c
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace ORDER BY 1`;
  const found: string[] = [];
  for (const { name } of tables) {
    const sql = `SELECT 1 FROM "${name}" t WHERE t::text LIKE '%${text}%' LIMIT 1`;
    if ((await world.db.$queryRawUnsafe<unknown[]>(sql)).length > 0) found.push(name);
  }
  return found;
}

describe('values of redacted keys', () => {
  it('values are in no response of any endpoint, and without the setting the same search finds them', async () => {
    const isIndexed = async () => (await tablesWith(open.marker)).includes('search_postings');
    await until('the jobs to be indexed', isIndexed);
    expect(await showing(open)).toEqual(SHOWN);
    expect(await showing(redacting)).toEqual([]);
  });

  it('values are in no event stream', async () => {
    const { person, marker, jobIds, stream } = redacting;
    await until('the ends of all jobs', () => jobIds.every((id) => hasEnded(stream, id)));
    for (const id of jobIds) {
      const ofJob = await readEvents(`${api.url}/jobs/${id}/events`, { token: person.token });
      await until('the end of the job', () => hasEnded(ofJob, id));
      await ofJob.close();
      expect(JSON.stringify(ofJob.events)).not.toContain(marker);
    }
    await stream.close();
    await open.stream.close();
    expect(JSON.stringify(stream.events)).not.toContain(marker);
  });

  it('values are in no page and in no log of the processes', async () => {
    for (const path of PAGES) {
      const page = await fetch(api.url + path);
      expect(await page.text(), path).not.toContain(redacting.marker);
    }
    expect(lines.length).toBeGreaterThan(0);
    expect(JSON.stringify(lines)).not.toContain(redacting.marker);
  });

  it('handlers get the values', () => {
    const sent = receiver.received.filter(({ text }) => text === JSON.stringify({ secret: redacting.marker }));
    expect(sent).toHaveLength(1);
  });

  it('values are in no table after the jobs were redacted in the database', async () => {
    const stored = ['job_abouts', 'messages', 'payments', 'submitted_jobs', 'webhook_events'];
    // The index has the words of those that were indexed before their end, or not.
    const found = await tablesWith(redacting.marker);
    expect(found.filter((name) => name !== 'search_postings')).toEqual(stored);
    await worker.stop();
    await world.db.$executeRaw`UPDATE finished_jobs SET finished_at = finished_at - interval '1 hour'`;
    await startWorker();
    await until('the jobs to be redacted', async () => {
      const left = await world.db.job.count({ where: { orgId: redacting.person.orgId, redactedAt: null } });
      return left === 0;
    });

    // The index follows in a transaction of its own.
    await until('the values to be gone', async () => (await tablesWith(redacting.marker)).length === 0);
    expect(await tablesWith(open.marker)).toEqual([...stored, 'search_postings'].sort());
    expect(await showing(redacting)).toEqual([]);
    expect(await showing(open)).toEqual(SHOWN);
  });
});

function hasEnded({ events }: EventReader, id: string): boolean {
  return events.some(({ data }) => data.id === id && ['done', 'failed'].includes(data.status));
}
