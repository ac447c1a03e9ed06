import { createHmac } from 'node:crypto';
import { endpoints } from '@jobline/api/endpoints';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type NameServer, startNameServer, type TestApi, type World } from '../harness/index.js';
import { ask, type EndpointRequest } from './walk/ask.js';
import { type Organization, plantOrganization } from './walk/organization.js';
import type { Row } from './walk/row.js';
import { CALLBACKS, ROWS } from './walk/rows.js';
import { keepSessions, type Sessions } from './walk/sessions.js';

/** The callers, which are the columns. Each creates its headers. */
const CALLERS = {
  anonymous: async () => ({}),
  'broken token': async () => changed(await homeSessions.sessionOf('owner'), (token) => `${token.slice(0, -4)}AAAA`),
  'expired token': async () => changed(await homeSessions.sessionOf('owner'), expired),
  member: () => homeSessions.sessionOf('member'),
  admin: () => homeSessions.sessionOf('admin'),
  owner: () => homeSessions.sessionOf('owner'),
  'API key': () => home.programOf(),
  "another organization's owner": () => abroadSessions.sessionOf('owner'),
} as const;
type Caller = keyof typeof CALLERS;

const RANKS = ['member', 'admin', 'owner'];
const jwtSecret = 'the secret of this file, which has 32 bytes and more';

let world: World;
let names: NameServer;
let api: TestApi;
let home: Organization;
let homeSessions: Sessions;
let abroadSessions: Sessions;
let tested = 0;

beforeAll(async () => {
  world = await createWorld();
  names = await startNameServer();
  api = await world.api({
    dnsServers: [names.address],
    settings: { jwtSecret, callbacks: CALLBACKS },
  });
  home = await plantOrganization(world, api, 'quokka');
  homeSessions = keepSessions(home);
  abroadSessions = keepSessions(await plantOrganization(world, api, 'wombat'));
});
afterAll(async () => {
  await world.end();
  await names.close();
});

describe('the role matrix', () => {
  it('has a row for every endpoint, and no other', () => {
    expect(Object.keys(ROWS).sort()).toEqual(Object.keys(endpoints).sort());
  });

  it('requires a right for every endpoint with credentials', () => {
    const open = Object.entries(endpoints).filter(([, { auth, right }]) => (auth === 'none') !== (right === undefined));

    expect(open.map(([name]) => name)).toEqual([]);
  });

  it.each(Object.entries(ROWS))('is enforced in every cell of %s', async (name, row) => {
    const endpoint = endpoints[name];
    if (!endpoint) throw new Error(`there is no endpoint ${name}`);
    const observed: Record<string, number> = {};
    const expected: Record<string, number> = {};
    let asked: EndpointRequest | undefined;
    for (const [caller, credential] of Object.entries(CALLERS)) {
      asked ??= await row.ask(home);
      observed[caller] = (await ask(api.url, endpoint, asked, await credential())).status;
      // The cast: the keys of the entries are those of the record.
      expected[caller] = statusFor(caller as Caller, row, isNaming(asked) && !row.createsName);
      tested++;
      // An accepted request may have deleted what it names, or ended the session.
      if (endpoint.method !== 'get' && (observed[caller] ?? 0) < 400) {
        asked = undefined;
        homeSessions.forget();
        abroadSessions.forget();
      }
    }

    expect(observed).toEqual(expected);
  });

  it('has been tested in every cell', () => {
    expect(tested).toBe(Object.keys(endpoints).length * 8);
  });
});

/** The status that a caller must get according to the matrix. */
function statusFor(caller: Caller, { who, status }: Row, namesSomething: boolean): number {
  if (who === 'anybody') return status;
  if (caller === 'anonymous' || caller === 'broken token' || caller === 'expired token') return 401;
  if (caller === 'API key') return who === 'key' ? status : 401;
  if (caller === "another organization's owner") return namesSomething ? 404 : status;
  return RANKS.indexOf(caller) >= RANKS.indexOf(who === 'key' ? 'member' : who) ? status : 403;
}

/** Whether a request names something of the organization. */
function isNaming({ params, body = {} }: Awaited<ReturnType<Row['ask']>>): boolean {
  return params !== undefined || 'org_id' in body;
}

function changed({ authorization = '' }: Record<string, string>, change: (token: string) => string) {
  return { authorization: `Bearer ${change(authorization.replace('Bearer ', ''))}` };
}

/** The same token, as if it had expired an hour ago. */
function expired(token: string): string {
  const [header, payload = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const past = Buffer.from(JSON.stringify({ ...claims, exp: claims.iat - 3_600 })).toString('base64url');
  return `${header}.${past}.${createHmac('sha256', jwtSecret).update(`${header}.${past}`).digest('base64url')}`;
}
