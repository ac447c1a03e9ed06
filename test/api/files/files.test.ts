import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { countStoredBytes } from '@jobline/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answered,
  createWorld,
  type Person,
  register,
  type TestApi,
  until,
  uploadFile,
  type World,
} from '../../harness/index.js';
import { expectError, newKey } from '../support.js';

const MAX_BYTES = 3 * 1024 * 1024;
const DAY_MS = 24 * 3_600_000;

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api({ settings: { maxFileBytes: MAX_BYTES } });
  person = await register(api.call);
});
afterAll(() => world.end());

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const text = { 'content-type': 'text/plain' };
const upload = (query: string, raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = text) =>
  person.post(`/files${query}`, undefined, { raw, headers });

/** How much of files there is in the database. */
const stored = async () => ({ files: await world.db.file.count(), parts: await world.db.filePart.count() });

describe('POST /files', () => {
  // None, less than a part, exactly one, more than two, and the largest.
  it.each([0, 9, 1024 ** 2, 2 * 1024 ** 2 + 1, MAX_BYTES])('stores a file of %i bytes unchanged', async (sizeBytes) => {
    const bytes = randomBytes(sizeBytes);

    const answer = await upload('?name=a%20b.pdf&days=2', bytes, { 'content-type': 'application/pdf' });

    expect(answer.status, answer.text).toBe(201);
    const { id, created_at, expires_at } = answer.body;
    expect(answer.body).toEqual({
      id: expect.any(String),
      name: 'a b.pdf',
      content_type: 'application/pdf',
      size: sizeBytes,
      sha256: sha256(bytes),
      created_at: expect.any(String),
      expires_at: expect.any(String),
    });
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(2 * DAY_MS);
    expect((await person.get(`/files/${id}`)).body).toEqual(answer.body);
    const content = await person.get(`/files/${id}/content`);
    expect(Buffer.from(content.bytes).equals(bytes)).toBe(true);
    expect(Object.fromEntries(content.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(sizeBytes),
      'content-disposition': 'attachment; filename="a b.pdf"',
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
      etag: `"${sha256(bytes)}"`,
    });
  });

  it('keeps a file for a week and calls its type unknown unless the request says otherwise', async () => {
    const answer = await api.call('POST', '/files?name=a', { token: person.token });

    expect(answer.status, answer.text).toBe(201);
    const { content_type, size, created_at, expires_at } = answer.body;
    expect({ content_type, size }).toEqual({ content_type: 'application/octet-stream', size: 0 });
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(7 * DAY_MS);
  });

  it.each([
    ['', ['name']],
    ['?name=', ['name']],
    ['?name=a/b', ['name']],
    ['?name=%2E%2E', ['name']],
    ['?name=a%00', ['name']],
    [`?name=${'x'.repeat(201)}`, ['name']],
    ['?name=a&days=0', ['days']],
    ['?name=a&days=31', ['days']],
    ['?name=a&days=1.5', ['days']],
    ['?name=a&name=b', ['name']],
    ['?name=a&more=1', ['more']],
  ])('rejects the query "%s"', async (query, paths) => {
    expectError(await upload(query, 'x'), 400, 'validation_failed', paths);
  });

  it.each(['Rechnung (März).pdf', '請求書.pdf', '100 %?#&;.pdf', 'x'.repeat(200)])(
    'accepts the name %s',
    async (name) => {
      const answer = await upload(`?name=${encodeURIComponent(name)}`, 'x');

      expect(answer.body.name, answer.text).toBe(name);
    },
  );

  it('rejects a form and a compressed body, because they are not the file itself', async () => {
    for (const headers of [
      { 'content-type': 'multipart/form-data; boundary=x' },
      { ...text, 'content-encoding': 'gzip' },
      { 'content-type': 'no type' },
    ]) {
      expectError(await upload('?name=a', 'x', headers), 415, 'unsupported_media_type');
    }
  });

  it('rejects a file that is too large, of a declared length or not, and keeps nothing of it', async () => {
    const before = await stored();
    const bytes = randomBytes(MAX_BYTES + 1);

    expectError(await upload('', bytes), 413, 'payload_too_large');
    const response = await fetch(`${api.url}/files?name=a`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.token}` },
      body: new Blob([bytes]).stream(),
      // @ts-expect-error: the types do not know it, and Node requires it.
      duplex: 'half',
    });

    expect(response.status).toBe(413);
    expect(await stored()).toEqual(before);
  });

  it('keeps nothing of a file whose sender disconnects', async () => {
    const before = await stored();
    const headers = { authorization: `Bearer ${person.token}`, 'content-length': String(MAX_BYTES) };
    const call = request(`${api.url}/files?name=a`, { method: 'POST', headers }).on('error', () => undefined);
    call.write(randomBytes(2 * 1024 ** 2));

    await until('a part to be stored', async () => (await stored()).parts > before.parts);
    call.destroy();

    await until('the upload to be deleted', async () => (await stored()).files === before.files);
    expect(await stored()).toEqual(before);
  });

  it('stores one file for simultaneous requests with one key, and answers all of them alike', async () => {
    const before = await stored();
    const headers = { ...text, 'Idempotency-Key': 'twins' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => upload('?name=a', 'the same', headers)));

    const [first] = answers;
    for (const { status, body } of answers) expect({ status, body }).toEqual({ status: 201, body: first?.body });
    expect(answers.filter((one) => one.headers.get('idempotent-replayed') === 'true')).toHaveLength(7);
    expect((await stored()).files).toBe(before.files + 1);

    for (const [query, raw] of [
      ['?name=a', 'another'],
      ['?name=b', 'the same'],
      ['?name=a&days=3', 'the same'],
    ] as const) {
      expectError(await upload(query, raw, headers), 422, 'idempotency_key_reused');
    }
    await person.delete(`/files/${first?.body.id}`);
    expect((await upload('?name=a', 'the same', headers)).body).toEqual(first?.body);
    expect((await stored()).files).toBe(before.files);
  });

  it('counts files for the same quota as everything else, and rejects them above it', async () => {
    const owner = await register(api.call);
    const narrow = await world.api({ limits: { maxStoredBytes: 100_000 } });
    await uploadFile(owner, randomBytes(200_000));
    await countStoredBytes(world.db, 1_000);

    const org = await world.db.organization.findUniqueOrThrow({ where: { id: owner.orgId } });
    expect(Number(org.storedBytes)).toBeGreaterThan(200_000);
    const answer = await narrow.call('POST', '/files?name=a', { token: owner.token, raw: 'x', headers: text });
    expectError(answer, 429, 'rate_limited');
  });
});

it('the list of files has those of the organization, newest first and page by page', async () => {
  const owner = await register(api.call);
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.unshift(await uploadFile(owner, randomBytes(n), `name=${n}`));

  const listed: string[] = [];
  for (let url: string | null = '/files?limit=2'; url; ) {
    const page: Answered = await owner.get(url);
    expect(page.body.length).toBeLessThanOrEqual(2);
    listed.push(...page.body.map(({ id }: { id: string }) => id));
    url = /^<(.+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? null;
  }

  expect(listed).toEqual(ids);
});

it('a key needs jobs:write to upload, link and delete, and jobs:read to read', async () => {
  const id = await uploadFile(person, randomBytes(3));
  const { key: reader } = await newKey(person, 'reader', { scopes: ['jobs:read'] });
  const { key: writer } = await newKey(person, 'writer', { scopes: ['jobs:write'] });
  const paths = ['/files', `/files/${id}`, `/files/${id}/content`];

  for (const path of paths) {
    expect((await api.call('GET', path, { key: reader })).status).toBe(200);
    expectError(await api.call('GET', path, { key: writer }), 403, 'forbidden');
  }
  for (const [method, path] of [
    ['POST', '/files?name=a'],
    ['POST', `/files/${id}/link`],
    ['DELETE', `/files/${id}`],
  ] as const) {
    expectError(await api.call(method, path, { key: reader }), 403, 'forbidden');
    expect((await api.call(method, path, { key: writer })).status).toBeLessThan(300);
  }
});

it('a file of another organization, an unknown, a deleted and an expired one are not found', async () => {
  const theirs = await uploadFile(await register(api.call), randomBytes(5));
  const deleted = await uploadFile(person, randomBytes(5));
  expect((await person.delete(`/files/${deleted}`)).status).toBe(204);
  const expired = await uploadFile(person, randomBytes(5));
  await world.db.file.update({ where: { id: expired }, data: { expiresAt: new Date(Date.now() - 1_000) } });

  for (const id of [theirs, deleted, expired, '00000000-0000-7000-8000-000000000000', 'no-id']) {
    for (const ask of [
      person.get(`/files/${id}`),
      person.get(`/files/${id}/content`),
      person.post(`/files/${id}/link`),
      person.delete(`/files/${id}`),
    ]) {
      expectError(await ask, 404, 'not_found');
    }
    const image = { type: 'compress_image', payload: { source: { file: id } } };
    expectError(await person.post('/jobs', image), 400, 'validation_failed', [
      id === 'no-id' ? 'payload.source.file' : 'payload.source',
    ]);
  }
  expect(await world.db.filePart.count({ where: { fileId: deleted } })).toBe(0);
});
