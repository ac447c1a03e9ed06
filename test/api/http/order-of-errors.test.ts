import { afterAll, beforeAll, describe, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { addMember, expectError } from '../support.js';

let world: World;
let api: TestApi;
let owner: Person;
let member: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api({ settings: { maxBodyBytes: 2_000 } });
  owner = await register(api.call);
  member = await addMember(world, api, owner.orgId, 'member');
});
afterAll(() => world.end());

// Each request has every error that is checked after the one that it is rejected for.
describe('a request is rejected for the first of its errors in the documented order', () => {
  const large = 'x'.repeat(3_000);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  it('unknown path before missing credential', async () => {
    expectError(await api.call('POST', '/nope?x=1', { raw: large, headers: form }), 404, 'not_found');
  });

  it('wrong method before missing credential', async () => {
    expectError(await api.call('PUT', '/org/api-keys?x=1', { raw: large, headers: form }), 405, 'method_not_allowed');
  });

  it('missing credential before body size', async () => {
    expectError(await api.call('POST', '/org/api-keys?x=1', { raw: large, headers: form }), 401, 'unauthenticated');
  });

  it('role before body size', async () => {
    const answer = await api.call('POST', '/org/api-keys?x=1', { token: member.token, raw: large, headers: form });
    expectError(answer, 403, 'forbidden');
  });

  it('body size before content type', async () => {
    const answer = await api.call('POST', '/org/api-keys?x=1', { token: owner.token, raw: large, headers: form });
    expectError(answer, 413, 'payload_too_large');
  });

  it('content type before JSON syntax', async () => {
    const answer = await api.call('POST', '/org/api-keys?x=1', { token: owner.token, raw: '{', headers: form });
    expectError(answer, 415, 'unsupported_media_type');
  });

  it('JSON syntax before validation', async () => {
    const answer = await api.call('POST', '/org/api-keys?x=1', { token: owner.token, raw: '{' });
    expectError(answer, 400, 'invalid_json');
  });

  it('query and body are validated together', async () => {
    const answer = await owner.post('/org/api-keys?x=1', { more: 1 });
    expectError(answer, 400, 'validation_failed', ['x', 'name', 'more']);
  });

  it('an invalid query before an id that is malformed or unknown', async () => {
    for (const id of ['a%20b', 'no-such-job']) {
      expectError(await owner.get(`/jobs/${id}/logs?limit=0`), 400, 'validation_failed', ['limit']);
      expectError(await owner.get(`/jobs/${id}/logs`), 404, 'not_found');
    }
  });
});
