import { endpoints } from '@jobline/api/endpoints';
import { SCOPES } from '@jobline/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type NameServer, startNameServer, type TestApi, type World } from '../harness/index.js';
import { ask } from './walk/ask.js';
import { type Organization, plantOrganization } from './walk/organization.js';
import { ROWS } from './walk/rows.js';

/** Endpoints that need a person: a program with a key gets 401, whatever its scopes. */
const ONLY_PERSONS = /^\/(auth|org)\//;

interface Operation {
  operationId: string;
  security: { bearer?: []; api_key?: string[] }[];
}

let world: World;
let names: NameServer;
let api: TestApi;
let org: Organization;
let operations: { path: string; operation: Operation }[];

beforeAll(async () => {
  world = await createWorld();
  names = await startNameServer();
  api = await world.api({ dnsServers: [names.address] });
  org = await plantOrganization(world, api, 'quokka');
  const document = (await api.call('GET', '/openapi.json')).body;
  operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, operation })),
  );
});
afterAll(async () => {
  await world.end();
  await names.close();
});

/** The scopes that the document of the API names, of which a key needs one; empty: the endpoint does not accept keys. */
function scopesOf(name: string): string[] {
  const security = operations.find(({ operation }) => operation.operationId === name)?.operation.security ?? [];
  return security.flatMap(({ api_key }) => api_key ?? []);
}

describe('the scopes of API keys', () => {
  it('cover every endpoint with credentials that is not only for persons', () => {
    const withoutScope = operations
      .filter(({ path, operation }) => operation.security.length > 0 && !ONLY_PERSONS.test(path))
      .filter(({ operation }) => scopesOf(operation.operationId).length === 0);

    expect(withoutScope.map(({ operation }) => operation.operationId)).toEqual([]);
    expect(new Set(Object.keys(ROWS).flatMap(scopesOf))).toEqual(new Set(SCOPES));
  });

  it.each(Object.entries(ROWS).filter(([, { who }]) => who !== 'anybody'))('decide about %s', async (name, row) => {
    const endpoint = endpoints[name];
    if (!endpoint) throw new Error(`there is no endpoint ${name}`);
    const scopes = scopesOf(name);
    const statusWith = async (scopes: typeof SCOPES | (typeof SCOPES)[number][]) =>
      (await ask(api.url, endpoint, await row.ask(org), await org.programOf({ scopes }))).status;

    if (scopes.length === 0) return expect(await statusWith(SCOPES)).toBe(401);
    const others = SCOPES.filter((one) => !scopes.includes(one));
    for (const own of SCOPES.filter((one) => scopes.includes(one))) expect(await statusWith([own])).toBe(row.status);
    expect(await statusWith(others)).toBe(403);
  });
});
