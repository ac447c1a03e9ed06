import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  type Person,
  register,
  submitJob,
  type TestApi,
  uploadFile,
  type World,
} from '../../harness/index.js';
import { expectError, keepingLogger } from '../support.js';

const { log, lines } = keepingLogger();
let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api({ log, settings: { publicUrl: 'https://jobs.example.com/base' } });
  person = await register(api.call);
});
afterAll(() => world.end());

/** A job with an artifact, as a worker would write it. */
async function artifactOf(bytes: Uint8Array<ArrayBuffer>, name = 'x y.pdf'): Promise<{ id: string; path: string }> {
  const id = await submitJob(person, 'a', {});
  const { key } = await world.db.job.findFirstOrThrow({ where: { orgId: person.orgId, id } });
  await world.db.artifact.create({ data: { jobKey: key, name, contentType: 'application/pdf', ...content(bytes) } });
  return { id, path: `/jobs/${id}/artifacts/${encodeURIComponent(name)}` };
}

function content(bytes: Uint8Array<ArrayBuffer>) {
  return { size: bytes.length, sha256: Uint8Array.from(createHash('sha256').update(bytes).digest()), bytes };
}

/** The path and query of a new link, as a proxy that removes the path of PUBLIC_URL passes them on. */
async function linkTo(path: string, body?: object): Promise<string> {
  const answer = await person.post(`${path}/link`, body);
  expect(answer.status, answer.text).toBe(201);
  expect(answer.body.url).toMatch(/^https:\/\/jobs\.example\.com\/base\/links\?token=/);
  return answer.body.url.slice('https://jobs.example.com/base'.length);
}

describe.each([
  ['a file', async (bytes: Uint8Array<ArrayBuffer>) => `/files/${await uploadFile(person, bytes, 'name=x%20y.pdf')}`],
  ['an artifact', async (bytes: Uint8Array<ArrayBuffer>) => (await artifactOf(bytes)).path],
])('a link to %s', (kind, make) => {
  it('needs no credential and is answered like the file, and no one may store the answer', async () => {
    const bytes = randomBytes(2_000_000);
    const path = await make(bytes);
    const owned = await person.get(kind === 'a file' ? `${path}/content` : path);
    const link = await linkTo(path);

    for (const method of ['GET', 'HEAD']) {
      const answer = await api.call(method, link);
      expect(answer.status, answer.text).toBe(200);
      expect(Buffer.from(answer.bytes).equals(method === 'GET' ? bytes : Buffer.alloc(0))).toBe(true);
      for (const name of ['content-type', 'content-length', 'content-disposition', 'content-security-policy', 'etag']) {
        expect(answer.headers.get(name), name).toBe(owned.headers.get(name));
      }
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('cache-control')).toBe('private, no-store');
    }
  });

  it('is answered whole, whatever range or version a client asks for', async () => {
    const bytes = randomBytes(1_000);
    const link = await linkTo(await make(bytes));
    const etag = (await api.call('GET', link)).headers.get('etag') ?? '';

    for (const headers of [
      { range: 'bytes=10-19' },
      { range: 'bytes=5000-' },
      { range: 'bytes=0-1,5-6' },
      { 'if-none-match': etag },
      { 'if-modified-since': new Date(Date.now() + 60_000).toUTCString() },
    ]) {
      const answer = await api.call('GET', link, { headers });
      expect(answer.status).toBe(200);
      expect(Buffer.from(answer.bytes).equals(bytes)).toBe(true);
    }
  });

  it('is not found if any character is changed, added or removed', async () => {
    const link = await linkTo(await make(randomBytes(9)));
    // Each of the query's beginning and of the signature, and some between them.
    const isTried = (n: number) => n % 16 === 0 || n < '/links?token='.length + 4 || n > link.length - 12;
    const at = [...Array(link.length).keys()].filter((n) => n > '/links'.length && isTried(n));
    const other = (character: string) => (character === 'A' ? 'B' : 'A');
    const changed = at.map((n) => link.slice(0, n) + other(link[n] ?? '') + link.slice(n + 1));
    // The last characters of base64 have unused bits, so a decoder accepts four of them for the same bytes.
    const last = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ-_=+'].map((end) => link.slice(0, -1) + end);
    const shorter = at.map((n) => link.slice(0, n) + link.slice(n + 1));
    const more = [`${link}A`, `${link}=`, `${link}&`, `${link}&a=1`, `${link}.`, `${link}#`.replace('#', '%00')];
    const variants = [...changed, ...last, ...shorter, ...more].filter((one) => one !== link);

    for (const variant of variants) {
      const answer = await api.call('GET', variant);
      expectError(answer, 404, 'not_found');
    }
    expect((await api.call('GET', link)).status).toBe(200);
  });

  it('leaves nothing in the log with which the file could be fetched', async () => {
    const link = await linkTo(await make(randomBytes(9)));
    const token = link.slice(link.indexOf('=') + 1);
    lines.length = 0;

    await api.call('GET', link);
    await api.call('GET', link.replace('/links', '/linkz'));
    await api.call('POST', link);
    await api.call('GET', `${link}&more`);

    expect(lines.length).toBeGreaterThanOrEqual(4);
    for (const part of token.split('.')) expect(JSON.stringify(lines)).not.toContain(part);
  });
});

describe('a link', () => {
  it('ends after the time of its request, which is a day unless it says otherwise', async () => {
    const path = `/files/${await uploadFile(person, randomBytes(9))}`;
    const secondsOf = async (body?: object) => {
      const before = Date.now();
      const { expires_at } = (await person.post(`${path}/link`, body)).body;
      return Math.floor((Date.parse(expires_at) - before) / 1_000);
    };

    expect(await secondsOf()).toBe(86_400);
    expect(await secondsOf({ expires_in: 60 })).toBe(60);
    expect(await secondsOf({ expires_in: 2_592_000 })).toBe(2_592_000);
    for (const expires_in of [59, 2_592_001, 1.5, '60', null]) {
      expectError(await person.post(`${path}/link`, { expires_in }), 400, 'validation_failed', ['expires_in']);
    }
    expectError(await person.post(`${path}/link`, { more: 1 }), 400, 'validation_failed', ['more']);
  });

  it('is not found after the deletion of its file or job, and does not lead to a later job with the same id', async () => {
    const file = await uploadFile(person, randomBytes(9));
    const toFile = await linkTo(`/files/${file}`);
    const { id, path } = await artifactOf(randomBytes(9));
    const toArtifact = await linkTo(path);
    await person.delete(`/files/${file}`);
    await person.post(`/jobs/${id}/cancel`);
    await person.delete(`/jobs/${id}`);
    await submitJob(person, 'a', {}, { id });
    const { key } = await world.db.job.findFirstOrThrow({ where: { orgId: person.orgId, id } });
    const again = { jobKey: key, name: 'x y.pdf', contentType: 'application/pdf', ...content(randomBytes(9)) };
    await world.db.artifact.create({ data: again });

    for (const link of [toFile, toArtifact]) expectError(await api.call('GET', link), 404, 'not_found');
    expect((await person.get(path)).status).toBe(200);
  });

  it('does not show the artifact of another content that a later attempt saved under the same name', async () => {
    const { id, path } = await artifactOf(randomBytes(9));
    const link = await linkTo(path);
    const { key } = await world.db.job.findFirstOrThrow({ where: { orgId: person.orgId, id } });
    await world.db.artifact.updateMany({ where: { jobKey: key }, data: content(randomBytes(9)) });

    expectError(await api.call('GET', link), 404, 'not_found');
  });

  it('cannot be made for a file or artifact that does not exist or is of another organization', async () => {
    const stranger = await register(api.call);
    const file = await uploadFile(person, randomBytes(9));
    const { path } = await artifactOf(randomBytes(9));

    for (const of of [`/files/${file}`, path]) expectError(await stranger.post(`${of}/link`), 404, 'not_found');
    expectError(await person.post(`${path}x/link`), 404, 'not_found');
  });

  it('is not found by a service with another secret', async () => {
    const other = await world.api({ settings: { jwtSecret: 'another secret of the tests, long enough for HS256' } });
    const link = await linkTo(`/files/${await uploadFile(person, randomBytes(9))}`);

    expectError(await other.call('GET', link), 404, 'not_found');
  });
});

it('an address may fetch only so many files by links in a minute, and that does not keep it from signing in', async () => {
  const other = await createWorld();
  const narrow = await other.api({ limits: { linksPerMin: 3 } });
  const { email, password } = await register(narrow.call);
  for (let n = 0; n < 3; n++) expectError(await narrow.call('GET', '/links?token=x'), 404, 'not_found');

  expectError(await narrow.call('GET', '/links?token=x'), 429, 'rate_limited');
  expect((await narrow.call('POST', '/auth/login', { body: { email, password } })).status).toBe(200);
  await other.end();
});
