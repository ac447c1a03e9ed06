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

// Each request is wrong in every way that comes after the one it is refused for.
describe('a request is refused for the first of its faults in the order of the contract', () => {
  const large = 'x'.repeat(3_000);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  it('unknown path, before the missing credential', async () => {
    expectError(await api.call('POST', '/nope?x=1', { raw: large, headers: form }), 404, 'not_found');
  });

  it('wrong method, before the missing credential', async () => {
    expectError(await api.call('PUT', '/org/api-keys?x=1', { raw: large, headers: form }), 405, 'method_not_allowed');
  });

  it('missing credential, before the size', async () => {
    expectError(await api.call('POST', '/org/api-keys?x=1', { raw: large, headers: form }), 401, 'unauthenticated');
  });

  it('role, before the size', async () => {
    const answer = await api.call('POST', '/org/api-keys?x=1', { token: member.token, raw: large, headers: form });
    expectError(answer, 403, 'forbidden');
  });

  it('size, before the content type', async () => {
    const answer = await api.call('POST', '/org/api-keys?x=1', { token: owner.token, raw: large, headers: form });
    expectError(answer, 413, 'payload_too_large');
  });

  it('content type, before the JSON', async () => {
    const answer = await api.call('POST', '/org/api-keys?x=1', { token: owner.token, raw: '{', headers: form });
    expectError(answer, 415, 'unsupported_media_type');
  });

  it('JSON, before the rules', async () => {
    const answer = await api.call('POST', '/org/api-keys?x=1', { token: owner.token, raw: '{' });
    expectError(answer, 400, 'invalid_json');
  });

  it('the rules of query and body together', async () => {
    const answer = await owner.post('/org/api-keys?x=1', { more: 1 });
    expectError(answer, 400, 'validation_failed', ['x', 'name', 'more']);
  });

  it('a query that breaks a rule, before an id that cannot exist and one that does not', async () => {
    for (const id of ['a%20b', 'no-such-job']) {
      expectError(await owner.get(`/jobs/${id}/logs?limit=0`), 400, 'validation_failed', ['limit']);
      expectError(await owner.get(`/jobs/${id}/logs`), 404, 'not_found');
    }
  });
});
