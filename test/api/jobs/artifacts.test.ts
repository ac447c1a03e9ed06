import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, submitJob, type TestApi, until, type World } from '../../harness/index.js';
import { expectError, keepingLogger, newKey } from '../support.js';

const { log, lines } = keepingLogger();
let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api({ log });
  person = await register(api.call);
});
afterAll(() => world.end());

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
const times = { count: 0 };

/** Writes an artifact into the database as a worker would; each is a second newer than the one before. */
async function seed(id: string, name: string, bytes: Uint8Array<ArrayBuffer>, owner = person): Promise<void> {
  const { key } = await world.db.job.findFirstOrThrow({ where: { orgId: owner.orgId, id } });
  const createdAt = new Date(Date.UTC(2026, 5, 1) + times.count++ * 1_000);
  const contentType = 'application/pdf';
  await world.db.artifact.create({
    data: {
      jobKey: key,
      name,
      contentType,
      size: bytes.length,
      sha256: Uint8Array.from(sha256(bytes)),
      bytes,
      createdAt,
    },
  });
}

describe('GET /jobs/{id}/artifacts', () => {
  it('is an empty list for a job without artifacts', async () => {
    const id = await submitJob(person, 'a', {});
    expect((await person.get(`/jobs/${id}/artifacts`)).body).toEqual([]);
  });

  it('is a bare array of exactly name, content_type, size, sha256 and url, newest first', async () => {
    await submitJob(person, 'a', {}, { id: 'order:7' });
    const [first, second] = [randomBytes(10), randomBytes(20)];
    await seed('order:7', 'first.pdf', first);
    await seed('order:7', 'second.pdf', second);

    const answer = await person.get('/jobs/order:7/artifacts');

    const view = (name: string, bytes: Uint8Array) => ({
      name,
      content_type: 'application/pdf',
      size: bytes.length,
      sha256: sha256(bytes).toString('hex'),
      url: `/jobs/order%3A7/artifacts/${name}`,
    });
    expect(answer.body).toEqual([view('second.pdf', second), view('first.pdf', first)]);
    expect((await person.get(answer.body[0].url)).bytes).toEqual(new Uint8Array(second));
  });

  it('is read page by page', async () => {
    const id = await submitJob(person, 'a', {});
    for (let n = 1; n <= 5; n++) await seed(id, `${n}.pdf`, randomBytes(1));

    const names: string[] = [];
    for (let url: string | null = `/jobs/${id}/artifacts?limit=2`; url; ) {
      const page = await person.get(url);
      expect(page.body.length).toBeLessThanOrEqual(2);
      names.push(...page.body.map(({ name }: { name: string }) => name));
      url = /^<(.+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? null;
    }

    expect(names).toEqual(['5.pdf', '4.pdf', '3.pdf', '2.pdf', '1.pdf']);
  });

  it.each(['limit=0', 'limit=x', 'cursor=x', 'cursor=', 'cursor=MQ'])('rejects %s', async (query) => {
    const id = await submitJob(person, 'a', {});
    expectError(await person.get(`/jobs/${id}/artifacts?${query}`), 400, 'validation_failed', [
      query.split('=')[0] ?? '',
    ]);
  });
});

describe('GET /jobs/{id}/artifacts/{name}', () => {
  // More than one chunk, and the last one not full.
  it.each([0, 1, 256 * 1024, 256 * 1024 + 1, 3_000_000])('returns a file of %i bytes unchanged', async (sizeBytes) => {
    const id = await submitJob(person, 'a', {});
    const bytes = randomBytes(sizeBytes);
    await seed(id, 'x.pdf', bytes);

    const fetched = await person.get(`/jobs/${id}/artifacts/x.pdf`);

    expect(fetched.status).toBe(200);
    expect(sha256(fetched.bytes)).toEqual(sha256(bytes));
    expect(fetched.headers.get('content-length')).toBe(String(sizeBytes));
  });

  it.each([
    ['Rechnung (März) 7.pdf', `filename="Rechnung (M_rz) 7.pdf"; filename*=UTF-8''Rechnung%20%28M%C3%A4rz%29%207.pdf`],
    ['請求書 "1".pdf', `filename="___ _1_.pdf"; filename*=UTF-8''%E8%AB%8B%E6%B1%82%E6%9B%B8%20%221%22.pdf`],
    ['100 %?#&;.pdf', `filename="100 _?#&;.pdf"; filename*=UTF-8''100%20%25%3F%23%26%3B.pdf`],
  ])('returns the file %s by the URL of the list, with its name', async (name, disposition) => {
    const id = await submitJob(person, 'a', {});
    await seed(id, name, randomBytes(9));

    const [artifact] = (await person.get(`/jobs/${id}/artifacts`)).body;
    const fetched = await person.get(artifact.url);

    expect(artifact.name).toBe(name);
    expect(fetched.status).toBe(200);
    expect(fetched.headers.get('content-disposition')).toBe(`attachment; ${disposition}`);
  });

  it('describes the file and lets no browser run it', async () => {
    const id = await submitJob(person, 'a', {});
    const bytes = randomBytes(9);
    await seed(id, 'a-b_c.1.pdf', bytes);

    for (const method of ['GET', 'HEAD']) {
      const answer = await api.call(method, `/jobs/${id}/artifacts/a-b_c.1.pdf`, { token: person.token });
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'application/pdf',
        'content-length': '9',
        'content-disposition': 'attachment; filename="a-b_c.1.pdf"',
        'content-security-policy': 'sandbox',
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.any(String),
        etag: `"${sha256(bytes).toString('hex')}"`,
      });
      expect(answer.bytes).toHaveLength(method === 'GET' ? 9 : 0);
    }
  });

  it('accepts an API key', async () => {
    const id = await submitJob(person, 'a', {});
    await seed(id, 'x.pdf', randomBytes(5));
    const { key } = await newKey(person);

    expect((await api.call('GET', `/jobs/${id}/artifacts`, { key })).body).toHaveLength(1);
    expect((await api.call('GET', `/jobs/${id}/artifacts/x.pdf`, { key })).status).toBe(200);
  });

  // Half of one file and half of another would look like a complete file.
  it('aborts the download when the file is replaced while it is read', async () => {
    const id = await submitJob(person, 'a', {});
    const bytes = randomBytes(20_000_000);
    await seed(id, 'x.pdf', bytes);
    const headers = { authorization: `Bearer ${person.token}` };
    const path = `/jobs/${id}/artifacts/x.pdf`;

    const ended = await new Promise<string>((resolve, reject) => {
      request(api.url + path, { headers }, (response) => {
        response.once('data', async () => {
          response.pause(); // the file is larger than all buffers between the API and the client
          await world.db.artifact.updateMany({
            where: { name: 'x.pdf', size: bytes.length },
            data: { sha256: new Uint8Array(32) },
          });
          response.resume();
        });
        response.on('end', () => resolve('whole')).on('error', () => resolve('broken off'));
      })
        .on('error', reject)
        .end();
    });

    expect(ended).toBe('broken off');
    const failed = await until('its log line', () => lines.find(({ fields }) => fields.path === path));
    expect(failed).toMatchObject({ level: 'error', message: 'request failed', fields: { aborted: true } });
    expect((await person.get('/auth/me')).status).toBe(200);
  });

  it('stops reading from the database when the client disconnects, which is not logged as a failure', async () => {
    const id = await submitJob(person, 'a', {});
    await seed(id, 'x.pdf', randomBytes(20_000_000));
    const headers = { authorization: `Bearer ${person.token}` };
    const path = `/jobs/${id}/artifacts/x.pdf`;

    await new Promise<void>((resolve) => {
      const call = request(api.url + path, { headers }, (response) => {
        response.once('data', () => call.destroy());
        response.once('close', resolve).on('error', () => undefined); // the client aborted it
      });
      call.end();
    });

    const line = await until('its log line', () => lines.find(({ fields }) => fields.path === path));
    expect(line).toMatchObject({ level: 'info', message: 'request', fields: { aborted: true } });
  });
});

describe('an artifact that is unknown, malformed or of another organization', () => {
  it('gets the same 404 in each case', async () => {
    const stranger = await register(api.call);
    const theirs = await submitJob(stranger, 'a', {}, { id: 'theirs' });
    await seed(theirs, 'x.pdf', randomBytes(5), stranger);
    const own = await submitJob(person, 'a', {});
    await seed(own, 'x.pdf', randomBytes(5));
    const paths = [
      `/jobs/${theirs}/artifacts`,
      `/jobs/${theirs}/artifacts/x.pdf`,
      '/jobs/no-such-job/artifacts',
      '/jobs/no-such-job/artifacts/x.pdf',
      `/jobs/${own}/artifacts/y.pdf`,
      `/jobs/${own}/artifacts/..%2F..%2Fetc%2Fpasswd`,
      `/jobs/${own}/artifacts/x.pdf%00`,
      `/jobs/${own}/artifacts/%2E%2E`,
      `/jobs/${own}/artifacts/${'x'.repeat(129)}`,
      `/jobs/${own}/artifacts/x.pdf/`,
      `/jobs/${own}/artifacts/`,
    ];
    for (const path of paths) {
      const answer = await person.get(path);
      expectError(answer, 404, 'not_found');
      expect(answer.body.error.message).toBe('Not found.');
    }
  });
});
