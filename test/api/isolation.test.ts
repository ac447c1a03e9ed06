import { endpoints } from '@jobline/api/endpoints';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  type NameServer,
  readEvents,
  startNameServer,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';
import { ask, type EndpointRequest, type EndpointResponse } from './walk/ask.js';
import { type Belongings, belongingsOf, type RowText } from './walk/belongings.js';
import { type Organization, plantOrganization } from './walk/organization.js';
import { CALLBACKS, ROWS } from './walk/rows.js';
import { keepSessions, type Sessions } from './walk/sessions.js';

/** Endpoints whose responses contain only numbers, future events, what the operator has installed, or nothing while everything works. */
const WITHOUT_TEXTS = [
  'readJobStats',
  'listJobTypes',
  'followJobs',
  'followEvents',
  'getWebhookSecret',
  'getDefaultSenders',
  'me',
  'listFirstSteps',
  'listProblems',
];

let world: World;
let names: NameServer;
let api: TestApi;
/** Two organizations with rows in every table: ours sends requests and must not learn anything about theirs. */
let theirs: Organization;
let ours: Organization;
let theirSessions: Sessions;
let ourSessions: Sessions;

beforeAll(async () => {
  world = await createWorld();
  names = await startNameServer();
  api = await world.api({
    dnsServers: [names.address],
    settings: { callbacks: CALLBACKS },
  });
  theirs = await plantOrganization(world, api, 'quokka');
  ours = await plantOrganization(world, api, 'wombat');
  const [orgId, word] = [theirs.orgId, theirs.fresh()];
  await world.db.$executeRaw`INSERT INTO search_positions (org_id, key) VALUES (${orgId}::uuid, gen_random_uuid())`;
  await world.db
    .$executeRaw`INSERT INTO search_postings (org_id, word, batch, n) VALUES (${orgId}::uuid, ${word}, 0, 0)`;
  await world.db
    .$executeRaw`INSERT INTO search_entries (org_id, batch, n, kind, key) VALUES (${orgId}::uuid, 0, 0, 'job', gen_random_uuid())`;
  theirSessions = keepSessions(theirs);
  ourSessions = keepSessions(ours);
});
afterAll(async () => {
  await world.end();
  await names.close();
});

const listed = Object.entries(endpoints).map(([name, endpoint]) => ({ name, endpoint, row: rowOf(name) }));
const guarded = listed.filter(({ endpoint }) => endpoint.auth !== 'none');

describe('another organization', () => {
  it.each(guarded)('does not exist for $name, also when a request names its rows', async ({ endpoint, row }) => {
    // A bulk action that ends between two requests changes the second response.
    await ours.settled();
    const requests = [await row.ask(theirs), ...((await row.alsoNaming?.(theirs)) ?? [])];
    const { rows, findSecrets } = await belongingsOf(world.db, theirs.orgId);
    for (const request of requests) {
      const unknown = withoutNames(request);
      const isNaming = JSON.stringify(unknown) !== JSON.stringify(request);
      if (request.params) expect(isNaming, 'the request names nothing of theirs').toBe(true);
      const response = await askAs(ours, endpoint, request);

      if (isNaming) expect(comparable(response)).toEqual(comparable(await askAs(ours, endpoint, unknown)));
      if (request.params && !row.createsName) expect(response.status).toBe(404);
      expect(seenIn(response, findSecrets, request)).toEqual([]);
    }

    expect((await belongingsOf(world.db, theirs.orgId)).rows).toEqual(rows);
  });

  describe('with no activity', () => {
    let rows: RowText[];
    let findSecrets: Belongings['findSecrets'];

    beforeAll(async () => {
      ({ rows, findSecrets } = await belongingsOf(world.db, theirs.orgId));
    });

    it.each(listed)("is in no response of $name to one's own organization", async ({ endpoint, row }) => {
      const request = await row.ask(ours);

      const response = await askAs(ours, endpoint, request);

      expect(response.status, response.text).toBe(row.status);
      expect(seenIn(response, findSecrets)).toEqual([]);
      expect((await belongingsOf(world.db, theirs.orgId)).rows).toEqual(rows);
    });
  });

  it.each(guarded.filter(({ name, endpoint }) => endpoint.method === 'get' && !WITHOUT_TEXTS.includes(name)))(
    'has its data in the responses of $name to its own requests',
    async ({ endpoint, row }) => {
      const request = await row.ask(theirs);
      const response = await askAs(theirs, endpoint, request);

      const { findSecrets } = await belongingsOf(world.db, theirs.orgId);
      expect(seenIn(response, findSecrets)).not.toEqual([]);
    },
  );

  it.each(listed.filter(({ endpoint }) => endpoint.resumable))(
    'is not in the stream of $name, however its events and ours are mixed',
    async ({ endpoint }) => {
      const id = `mixed-${endpoint.path.length}`;
      for (const of of [theirs, ours]) await of.job({ id, payload: { text: of.fresh() } });
      const path = endpoint.path.replace(':id', id);
      const reader = await readEvents(api.url + path, { token: ours.maker.token });
      for (const of of [theirs, ours]) await of.maker.post(`/jobs/${id}/cancel`);
      // Events of earlier tests may also be sent while an earlier transaction is still open in Postgres.
      // The events of the organization contain the job.
      const jobOf = ({ data }: (typeof reader.events)[number]) => data.data ?? data;
      const canceled = () => reader.events.map(jobOf).filter((job) => job.id === id && job.status === 'failed');
      await until('our own event to be seen', () => canceled().length > 0);
      await reader.close();

      const { findSecrets } = await belongingsOf(world.db, theirs.orgId);
      expect(findSecrets(JSON.stringify(reader.events))).toEqual([]);
      expect(canceled()).toHaveLength(1);
    },
  );

  it('is not counted in the job statistics', async () => {
    const own = await world.db.job.groupBy({ by: ['type'], where: { orgId: ours.orgId }, _count: true });
    const { body } = await ours.maker.get('/stats/jobs?window=7d');

    expect(Object.keys(body.by_type).sort()).toEqual(own.map(({ type }) => type).sort());
  });
});

describe('the requests of this test', () => {
  it('cover every endpoint', () => {
    expect(Object.keys(ROWS).sort()).toEqual(Object.keys(endpoints).sort());
  });

  it('create rows of the other organization in every table with an owner', async () => {
    const tables = await world.db.$queryRaw<{ name: string }[]>`
      SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org_id'
      WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace`;
    const held = new Set((await belongingsOf(world.db, theirs.orgId)).rows.map((row) => row.split(' ')[0]));

    // The service deletes its rows, which are only keys, within a second.
    expect(tables.map(({ name }) => name).filter((name) => !held.has(name))).toEqual(['unsettled_jobs']);
  });
});

function rowOf(name: string) {
  const row = ROWS[name];
  if (!row) throw new Error(`${name} has no row in walk/rows.ts`);
  return row;
}

async function askAs(
  of: Organization,
  endpoint: (typeof endpoints)[string],
  request: EndpointRequest,
): Promise<EndpointResponse> {
  const sessions = of === ours ? ourSessions : theirSessions;
  const response = await ask(
    api.url,
    endpoint,
    request,
    endpoint.auth === 'none' ? {} : await sessions.sessionOf('owner'),
  );
  if (endpoint.method !== 'get' && response.status < 400) sessions.forget();
  return response;
}

/** The same request with every name of the other organization replaced by an unused one of the same form. */
function withoutNames(request: EndpointRequest): EndpointRequest {
  const { cursor = '' } = request.query ?? {};
  const plain = JSON.stringify(request).replace(cursor || '\n', Buffer.from(cursor, 'base64url').toString());
  const changed = plain.replaceAll(theirs.marker, UNUSED_MARKER).replace(UUID, another);
  const { query, ...rest }: EndpointRequest = JSON.parse(changed);
  const place = query?.cursor && { cursor: Buffer.from(query.cursor).toString('base64url') };
  return { ...rest, ...(query && { query: { ...query, ...place } }) };
}

function another(uuid: string): string {
  return uuid.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
}

/** A response without the parts that differ each time. */
function comparable({ status, headers, text }: EndpointResponse): object {
  const stableHeaders = [...headers].filter(([name]) => !CHANGING.test(name));
  return {
    status,
    headers: stableHeaders,
    text: text
      .replaceAll(theirs.marker, UNUSED_MARKER)
      .replace(UUID, '<id>')
      .replace(TIME, '<time>')
      .replace(SECRET, '<secret>'),
  };
}

/** As long as the marker of theirs. */
const UNUSED_MARKER = 'numbat';
const CHANGING = /^(date|x-request-id|ratelimit-remaining|ratelimit-reset)$/;
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
/** Random texts. */
const SECRET = /(?<=jobline-verify=|jl_|token=|whsec_)[\w+/=-]+/g;

/** The secrets of theirs that a response contains and the request did not. */
function seenIn(
  { headers, text }: EndpointResponse,
  findSecrets: Belongings['findSecrets'],
  request: EndpointRequest = {},
): string[] {
  const said = JSON.stringify(request);
  return findSecrets(text + JSON.stringify([...headers])).filter((secret) => !said.includes(secret));
}
