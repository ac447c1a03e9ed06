import { endpoints } from '@jobline/api/endpoints';
import type { UserId } from '@jobline/contracts';
import { findSession, listMembershipsOf, retryDeadlocks } from '@jobline/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  holdLock,
  type NameServer,
  register,
  startNameServer,
  type TestApi,
  type World,
} from '../../harness/index.js';
import { idOf } from '../org/team.js';
import { addMember } from '../support.js';
import { ask } from '../walk/ask.js';
import { type Organization, plantOrganization } from '../walk/organization.js';
import { CALLBACKS, ROWS } from '../walk/rows.js';

let world: World;
let names: NameServer;
/** Gives up on Postgres soon. Its rows are created through `patient`, which waits. */
let api: TestApi;
let patient: TestApi;
let home: Organization;
/** A request to every endpoint. They can be repeated: while Postgres rejects all statements they change nothing. */
let requests: Request[];

beforeAll(async () => {
  [world, names] = [await createWorld(), await startNameServer()];
  const usual = {
    dnsServers: [names.address],
    settings: { callbacks: CALLBACKS },
  };
  api = await world.alone.api({
    ...usual,
    postgres: { statementTimeoutMs: 500, connectTimeoutMs: 500 },
    duplicateWaitMs: 500,
  });
  // The first response is about the schema, later ones are about Postgres.
  await api.call('GET', '/readyz');
  patient = await world.alone.api(usual);
  home = await plantOrganization(world, patient, 'quokka');
  requests = await requestsTo(Object.keys(ROWS));
});
afterAll(async () => {
  await world.end();
  await names.close();
});

interface Request {
  name: string;
  /** The status when nothing is wrong. */
  status: number;
  send(): ReturnType<typeof ask>;
}

/** A valid request to each of these endpoints, with its own session. */
async function requestsTo(endpointNames: readonly string[]): Promise<Request[]> {
  const made: Request[] = [];
  for (const name of endpointNames) {
    const [endpoint, row] = [endpoints[name], ROWS[name]];
    if (!endpoint || !row) throw new Error(`there is no endpoint ${name}`);
    const asked = await row.ask(home);
    const credential = await home.sessionOf('owner');
    const send = () =>
      ask(api.url, endpoint, asked, credential).catch((cause: unknown) => {
        throw new Error(`${name} was not answered`, { cause });
      });
    made.push({ name, status: row.status, send });
  }
  return made;
}

const sendAll = () => Promise.all(requests.map(async ({ name, send }) => ({ name, ...(await send()) })));

/**
 * Endpoints that respond without Postgres, or have the same response in all cases. `ready` reads no table: it is 200 if
 * its ping gets a connection before the other requests have used up the pool.
 */
const WITHOUT_TABLES = ['alive', 'answerChallenge', 'openapi', 'forgotPassword', 'ready'];

/** Runs `work` while the first `times` statements on any table fail with `sqlState`. */
async function whileStatementsFail(sqlState: string, times: number, work: () => Promise<void>): Promise<void> {
  const { db } = world;
  const tables = await db.$queryRaw<{ name: string }[]>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'`;
  await db.$executeRawUnsafe(`CREATE SEQUENCE failures`);
  await db.$executeRawUnsafe(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('failures') <= ${times} THEN RAISE EXCEPTION 'planted' USING ERRCODE = '${sqlState}'; END IF;
    RETURN NULL; END $$`);
  for (const { name } of tables) {
    await db.$executeRawUnsafe(
      `CREATE TRIGGER fail BEFORE INSERT OR UPDATE OR DELETE ON ${name} FOR EACH STATEMENT EXECUTE FUNCTION fail()`,
    );
  }
  try {
    await work();
  } finally {
    // It locks the tables one after the other, while statements of the API may hold a later one.
    await retryDeadlocks(() => db.$executeRawUnsafe('DROP FUNCTION fail() CASCADE'));
    await db.$executeRawUnsafe('DROP SEQUENCE failures');
  }
}

describe('an overloaded Postgres', () => {
  it('is a 503 with Retry-After at every endpoint while all tables are locked and the pool is used up', async () => {
    const tables =
      'organizations, users, memberships, sessions, api_keys, jobs, job_logs, messages, payments, templates, domains';
    const lock = await retryDeadlocks(() =>
      holdLock(world.db, (tx) => tx.$executeRawUnsafe(`LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`)),
    );
    const heard = await sendAll().finally(lock.release);

    const others = heard.filter(({ status }) => status !== 503);
    expect(others.map(({ name, status, text }) => `${name}: ${status} ${text.slice(0, 200)}`)).toEqual(
      expect.not.arrayContaining([expect.stringMatching(/: 5\d\d /)]),
    );
    expect(others.map(({ name }) => name).filter((name) => !WITHOUT_TABLES.includes(name))).toEqual([]);
    expect(heard.filter(({ status, headers }) => status === 503 && !headers.has('retry-after'))).toEqual([]);
  });

  it.each([
    ['deadlocks', '40P01'],
    ['serialization failures', '40001'],
    ['lock waits that took too long', '55P03'],
    ['a full disk', '53100'],
    ['too little memory', '53200'],
    ['an I/O error', '58030'],
  ])('is never a 500 at any endpoint through %s', async (_what, sqlState) => {
    await whileStatementsFail(sqlState, Number.MAX_SAFE_INTEGER, async () => {
      const heard = await sendAll();

      expect(heard.filter(({ status }) => status === 500).map(({ name, text }) => `${name}: ${text}`)).toEqual([]);
      expect(heard.filter(({ status }) => status === 503).length).toBeGreaterThan(10);
      expect(heard.filter(({ status, headers }) => status === 503 && !headers.has('retry-after'))).toEqual([]);
    });
  });

  it.each(['submitJob', 'submitBatch', 'changeRole', 'removeMember', 'createInvite', 'resetPassword', 'acceptInvite'])(
    'does not fail %s when its statement deadlocks three times',
    async (name) => {
      const [request] = await requestsTo([name]);
      await whileStatementsFail('40P01', 3, async () => {
        const answer = await request?.send();

        expect(answer?.status, answer?.text).toBe(request?.status);
      });
    },
  );
});

describe('a membership that is deleted while it is read', () => {
  it('makes the session invalid', async () => {
    const owner = await register(patient.call);
    const member = await addMember(world, patient, owner.orgId, 'member');
    const userId = await idOf(member);
    const [session] = await world.db.session.findMany({ where: { userId, orgId: owner.orgId } });

    const found = await readWhileDeleted(userId, () => findSession(world.db, session?.id ?? ''));

    expect(session).toBeDefined();
    expect(found).toBeNull();
  });

  it('does not break the list of organizations', async () => {
    const owner = await register(patient.call);
    const member = await addMember(world, patient, owner.orgId, 'member');
    const userId = await idOf(member);

    const rows = await readWhileDeleted(userId, () => listMembershipsOf(world.db, userId as UserId));

    expect(rows.map(({ orgId }) => orgId)).not.toContain(owner.orgId);
  });

  /** Returns what `read` finds when it begins before the deletion of the memberships is committed and ends after it. */
  async function readWhileDeleted<T>(userId: string, read: () => Promise<T>): Promise<T> {
    let reading: Promise<T> | undefined;
    await world.db.$transaction(async (tx) => {
      await tx.$executeRaw`LOCK TABLE memberships IN ACCESS EXCLUSIVE MODE`;
      reading = Promise.resolve(read()).then((found) => found); // Prisma only starts when the promise is awaited
      const waits = () =>
        tx.$queryRaw<unknown[]>`SELECT 1 FROM pg_locks WHERE relation = 'memberships'::regclass AND NOT granted`;
      while ((await waits()).length === 0);
      await tx.membership.deleteMany({ where: { userId } });
    });
    if (!reading) throw new Error('it was not read');
    return reading;
  }
});
