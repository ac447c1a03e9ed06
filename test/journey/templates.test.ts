import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  linesOf,
  type Person,
  register,
  submitJob,
  type TestApi,
  type World,
} from '../harness/index.js';
import { readPdf } from '../pdf/pdf-reader.js';

let world: World;
let api: TestApi;
let person: Person;

beforeEach(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
});
afterEach(() => world.end());

const TO = 'ada@example.com';

async function stored(template: object): Promise<string> {
  const answer = await person.post('/org/templates', template);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.id;
}

async function verified(domain: string): Promise<string> {
  const { id } = (await person.post('/org/domains', { domain })).body;
  await world.db.domain.update({ where: { id }, data: { verifiedAt: new Date() } });
  return id;
}

const remove = (path: string) => api.call('DELETE', path, { token: person.token });
const email = () => world.db.message.findFirstOrThrow({ where: { orgId: person.orgId } });

it('a PDF is made of the stored template that its job names, and its log says which data was missing', async () => {
  await stored({ name: 'letter', kind: 'pdf', body: '<h1>Dear {{ name }}</h1><p>{{ order.id }}</p>' });
  await world.worker();

  const story = await finishedJob(
    person,
    await submitJob(person, 'generate_pdf', { template: 'letter', data: { name: 'Ada & Bo' } }),
  );

  expect(story.job.status, JSON.stringify(story.result)).toBe('done');
  const { bytes } = await person.get(`/jobs/${story.job.id}/artifacts/letter.pdf`);
  expect((await readPdf(bytes)).pages).toEqual(['Dear Ada & Bo']);
  expect(linesOf(story)).toContain('1 warn these variables are missing in data and left empty: order');
});

it("a PDF cannot be made of another organization's template, nor of a template of another kind", async () => {
  await stored({ name: 'letter', kind: 'pdf', body: '<p>x</p>' });
  const stranger = await register(api.call);
  await stranger.post('/org/templates', { name: 'letter', kind: 'sms', body: 'x' });
  await world.worker();

  const { result } = await finishedJob(stranger, await submitJob(stranger, 'generate_pdf', { template: 'letter' }));

  expect(result.error).toEqual({ code: 'invalid_payload', message: 'there is no template named "letter"' });
});

it('an email is rendered when it is sent, from an address that is written in normal form', async () => {
  await verified('bücher.example');
  const template = { name: 'welcome', kind: 'email', subject: 'Old {{ name }}', body: 'Old' };
  const id = await stored(template);
  const job = await submitJob(person, 'send_email', {
    to: TO,
    from: 'Bücher, die <a@BÜCHER.example.>'.replace(',', ''),
    template: 'welcome',
    data: { name: "O'Neil & <b>" },
  });
  const changed = { ...template, subject: 'Hi {{ name }}', body: 'Dear {{ name }}\nBye' };
  expect((await api.call('PUT', `/org/templates/${id}`, { token: person.token, body: changed })).status).toBe(200);
  await world.worker();

  expect((await finishedJob(person, job)).job.status).toBe('done');
  expect(await email()).toMatchObject({
    sender: '"Bücher die" <a@xn--bcher-kva.example>',
    subject: "Hi O'Neil & <b>",
    body: '<div style="white-space: pre-wrap">Dear O&#39;Neil &amp; &lt;b&gt;\nBye</div>',
  });
});

it('a job whose domain or template is removed before it runs fails without a retry, and sends nothing', async () => {
  const domain = await verified('acme.example');
  const template = await stored({ name: 'welcome', kind: 'email', subject: 'Hi', body: 'Hello' });
  const from = 'hello@acme.example';
  const forbidden = await submitJob(
    person,
    'send_email',
    { to: TO, from, subject: 'a', body: 'b' },
    { max_retries: 3 },
  );
  const unknown = await submitJob(person, 'send_email', { to: TO, template: 'welcome' }, { max_retries: 3 });
  for (const path of [`/org/domains/${domain}`, `/org/templates/${template}`])
    expect((await remove(path)).status).toBe(204);
  await world.worker();

  const first = await finishedJob(person, forbidden);
  expect(first.job).toMatchObject({ status: 'failed', retries: 0 });
  expect(first.result.error).toEqual({
    code: 'sender_domain_not_verified',
    message: '"payload.from" has the domain acme.example, which is not verified here',
  });
  const second = await finishedJob(person, unknown);
  expect(second.job).toMatchObject({ status: 'failed', retries: 0 });
  expect(second.result.error.code).toBe('invalid_payload');
  expect(await world.db.message.count()).toBe(0);
});
