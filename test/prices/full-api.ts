import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SCOPES } from '@jobline/contracts';
import { MIGRATIONS, migrate } from '@jobline/db/migrate';
import { startPostgres } from '@jobline/devstack';
import pg from 'pg';
import { type Person, redisUrl, register, startApi, withDatabase } from '../harness/index.js';
import { fillOrganization, typeName } from './full-organization.js';

export const DATABASE = 'prices';
/** The secret that provider callbacks must send. */
export const CALLBACK_SECRET = 'prices';
const CALLBACKS = { CHAT_WEBHOOK_VERIFY_TOKEN: CALLBACK_SECRET, SMS_WEBHOOK_SECRET: CALLBACK_SECRET };

/** Defaults but for the speed of filling. Vacuum must not run during a measurement. */
const SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
  autovacuum: 'off',
  fsync: 'off',
  max_wal_size: '4GB',
};

/** An API with an organization at all of its quotas. No worker runs, and the tasks of the API find nothing to do. */
export interface FullApi {
  url: string;
  /** Of another database of the server. */
  adminUrl: string;
  owner: Person;
  /** The headers of each kind of caller. */
  credentials: Record<'owner' | 'restricted' | 'leaving' | 'anonymous', Record<string, string>>;
  /** Connected to the database. */
  client: pg.Client;
  end(): Promise<void>;
}

/** On a Postgres of its own, whose statistics of statements no other test changes. */
export async function startFullApi(): Promise<FullApi> {
  const dir = mkdtempSync(join(tmpdir(), 'jobline-prices-'));
  chmodSync(dir, 0o755); // Postgres must be able to enter as a user other than root
  const postgres = await startPostgres({ dir, settings: SETTINGS });
  const ends = [
    async () => {
      await postgres.remove();
      rmSync(dir, { recursive: true, force: true });
    },
  ];
  const end = async () => {
    for (const stop of ends.reverse()) await stop();
  };
  try {
    const admin = new pg.Client({ connectionString: postgres.url });
    await admin.connect();
    await admin.query(`CREATE DATABASE ${DATABASE}`);
    await admin.end();
    const url = withDatabase(postgres.url, DATABASE);
    await migrate(url, MIGRATIONS);
    const settings = { callbacks: CALLBACKS };
    const api = await startApi({ databaseUrl: url, redisUrl: redisUrl(), prefix: `prices-${process.pid}`, settings });
    ends.push(api.stop);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    ends.push(() => client.end());

    const owner = await register(api.call);
    const access = { name: 'restricted', scopes: SCOPES, types: Array.from({ length: 50 }, (_, n) => typeName(n)) };
    const key: string = (await owner.post('/org/api-keys', access)).body.key;
    const userId: string = (await owner.get('/auth/me')).body.user.id;
    const { email, password } = owner;
    const session: string = (await api.call('POST', '/auth/login', { body: { email, password } })).body.token;
    await fillOrganization(client, { orgId: owner.orgId, userId });
    await leaveNothingDue(client);
    return {
      url: api.url,
      adminUrl: postgres.url,
      owner,
      credentials: {
        owner: { authorization: `Bearer ${owner.token}` },
        leaving: { authorization: `Bearer ${session}` },
        restricted: { 'x-api-key': key },
        anonymous: {},
      },
      client,
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** What requests leave to tasks that are not theirs is never due: the first step of a bulk action, and deliveries of events. */
async function leaveNothingDue(client: pg.Client): Promise<void> {
  await client.query(`
    CREATE FUNCTION not_due() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN NEW.next_at := NEW.next_at + interval '300 d'; RETURN NEW; END $$;
    CREATE TRIGGER not_due BEFORE INSERT ON bulk_actions FOR EACH ROW EXECUTE FUNCTION not_due();
    CREATE FUNCTION planned() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN NEW.is_planned := true; RETURN NEW; END $$;
    CREATE TRIGGER planned BEFORE INSERT ON webhook_events FOR EACH ROW EXECUTE FUNCTION planned();`);
}
