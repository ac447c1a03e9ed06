import { createDb, type Db } from '@jobline/db';
import { concurrentIndexOf, MIGRATIONS, readMigrations } from '@jobline/db/migrate';
import { afterEach, expect, it } from 'vitest';
import { adminUrl, createTestDatabase, type TestDatabase, withDatabase } from '../harness/index.js';
import { schemaSql } from './schema-sql.js';

/** What the migrations create in addition to the schema file. */
const BY_HAND = [
  'alerts_org_mail_due_idx',
  'alerts_unresolved_key',
  'invites_open_key',
  'sender_ids_name_idx',
  'sender_ids_pending_idx',
  'search_postings_value_check',
  'job_counts_key',
  'failed_attempts_org_id_at_idx',
  'job_logs_events_idx',
  'artifacts_in_one_place',
  'finished_jobs_error_code_idx',
  'finished_jobs_failures_idx',
  'finished_jobs_failures_type_idx',
  'finished_jobs_finished',
  'erasures_due_idx',
  'erasures_forget_when_done',
  'finished_jobs_sources_idx',
  'finished_jobs_worker_version_idx',
  'live_jobs_worker_version_idx',
  'messages_recipient_idx',
  'finished_jobs_stats_idx',
  'live_jobs_canceled_never_pending',
  'live_jobs_enqueued_idx',
  'live_jobs_pending_idx',
  'live_jobs_pending_limit_idx',
  'live_jobs_pending_type_idx',
  'live_jobs_running_idx',
  'live_jobs_scheduled_orgs_idx',
  'live_jobs_unfinished',
  'limit_lanes_limit_idx',
  'limit_lanes_parked_idx',
  'limit_lanes_type_idx',
  'limit_lanes_wake_idx',
  'job_conditions_open_idx',
  'live_jobs_expires_idx',
  'live_jobs_expires_orgs_idx',
  'bulk_actions_next_at_idx',
  'bulk_actions_running_has_next',
  'bulk_actions_running_has_no_end',
  'live_jobs_failing_idx',
  'live_jobs_held_idx',
  'live_jobs_held_limit_idx',
  'live_jobs_held_type_idx',
  'live_jobs_due_limit_idx',
  'live_jobs_due_type_idx',
  'live_jobs_schedule_idx',
  'live_jobs_waiting_idx',
  'live_jobs_worker_idx',
  'operator_limits_one_row',
  'organization_settings_alerts_idx',
  'organization_settings_chat_idx',
  'organization_settings_redact_idx',
  'organization_settings_retention_idx',
  'schedules_cancel_before_idx',
  'schedules_next_run_at_idx',
  'schedules_one_timing',
  'schedules_paused_has_no_next',
  'submitted_jobs_events_idx',
  'submitted_jobs_limit_key_idx',
  'submitted_jobs_rerun_of_idx',
  'submitted_jobs_schedule_idx',
  'payments_check_idx',
  'webhook_deliveries_callback_idx',
  'webhook_deliveries_one_receiver',
  'webhook_deliveries_repeat_idx',
  'webhook_events_first_idx',
  'webhook_events_job_key_idx',
  'webhook_events_of_job_idx',
  'webhook_events_of_message_idx',
  'webhook_events_of_jobs_idx',
  'webhook_events_unplanned_idx',
  'webhooks_org_mail_due_idx',
  'message_events_unmatched_idx',
];

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function emptyDatabase(): Promise<{ url: string; db: Db }> {
  const name = `jobline_schema_${process.pid}`;
  const admin = createDb({ url: adminUrl(), poolSize: 1, onIdleError: () => undefined });
  await admin.$executeRawUnsafe(`CREATE DATABASE ${name}`);
  const url = withDatabase(adminUrl(), name);
  const db = createDb({ url, poolSize: 1, onIdleError: () => undefined });
  ends.push(async () => {
    await db.$disconnect();
    // The schema engine keeps a connection for as long as the process lives.
    await admin.$executeRawUnsafe(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.$disconnect();
  });
  return { url, db };
}

async function migratedDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  ends.push(database.drop);
  return database;
}

/** Everything that Postgres knows about the tables, as lines. */
async function describeSchema(db: Db): Promise<string[]> {
  const rows = await db.$queryRaw<{ line: string }[]>`
    SELECT format('column %s.%s %s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
      CASE WHEN a.attnotnull THEN ' not null' END,
      -- Not the expression of a generated column.
      CASE a.attgenerated WHEN '' THEN ' default ' || pg_get_expr(d.adbin, d.adrelid) END) AS line
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'r'
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
    UNION ALL SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT format('constraint %s %s', conname, pg_get_constraintdef(oid))
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
    UNION ALL SELECT format('enum %s %s', t.typname, string_agg(e.enumlabel, ' ' ORDER BY e.enumsortorder))
      FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid GROUP BY t.typname
    ORDER BY line`;
  return rows.map((row) => row.line).filter((line) => !line.includes('_prisma_migrations'));
}

it('the migrations and the schema agree, down to every default, index and foreign key', async () => {
  const drawn = await emptyDatabase();
  const migrated = await migratedDatabase();
  for (const statement of (await schemaSql(drawn.url)).split(/;\s*$/m)) {
    if (statement.trim()) await drawn.db.$executeRawUnsafe(statement);
  }
  const view = await columnsOf(drawn.db, 'jobs');
  await drawn.db.$executeRaw`DROP TABLE jobs`;

  const wanted = await describeSchema(drawn.db);
  const made = await describeSchema(migrated.db);

  const byHand = made.filter((line) => BY_HAND.some((name) => line.includes(` ${name} `)));
  expect(byHand).toHaveLength(BY_HAND.length);
  expect(made.filter((line) => !byHand.includes(line))).toEqual(wanted);
  expect(await columnsOf(migrated.db, 'jobs')).toEqual(view);
});

/** The columns of a table or view with their types. */
function columnsOf(db: Db, name: string): Promise<unknown> {
  return db.$queryRaw`
    SELECT attname::text AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
    WHERE attrelid = ${name}::text::regclass AND attnum > 0 ORDER BY attname`;
}

it('every migration is recorded as prisma migrate deploy writes it', async () => {
  const { db } = await migratedDatabase();

  const rows = await db.$queryRaw<{ name: string; checksum: string; isApplied: boolean }[]>`
    SELECT migration_name AS name, checksum, finished_at IS NOT NULL AND rolled_back_at IS NULL AS "isApplied"
    FROM _prisma_migrations ORDER BY 1`;

  expect(rows[0]).toMatchObject({ name: '20261121000000_init', isApplied: true });
  expect(rows.every((row) => row.isApplied && /^[0-9a-f]{64}$/.test(row.checksum))).toBe(true);
});

it('tables through which rows pass are vacuumed after a fixed number of dead rows, however large they are', async () => {
  const { db } = await migratedDatabase();

  const rows = await db.$queryRaw<{ name: string; threshold: number }[]>`
    SELECT c.relname::text AS name, threshold.option_value::int AS threshold FROM pg_class c,
      pg_options_to_table(c.reloptions) AS factor, pg_options_to_table(c.reloptions) AS threshold
    WHERE c.relnamespace = 'public'::regnamespace AND factor.option_name = 'autovacuum_vacuum_scale_factor'
      AND factor.option_value = '0' AND threshold.option_name = 'autovacuum_vacuum_threshold' ORDER BY 1`;

  expect(Object.fromEntries(rows.map(({ name, threshold }) => [name, threshold]))).toEqual({
    deleted_jobs: 5_000,
    finished_jobs: 100_000,
    job_conditions: 100_000,
    job_tags: 100_000,
    job_abouts: 100_000,
    idempotency_keys: 100_000,
    job_logs: 1_000_000,
    job_progress: 5_000,
    job_sources: 5_000,
    limit_lanes: 10_000,
    live_jobs: 100_000,
    message_events: 100_000,
    messages: 100_000,
    payments: 20_000,
    schedules: 5_000,
    search_queue: 5_000,
    submitted_jobs: 100_000,
    webhook_deliveries: 5_000,
    webhook_events: 5_000,
  });
});

/** An index on a table that may be too large for its writers to wait for the build. */
const LARGE_INDEX =
  /CREATE (?:UNIQUE )?INDEX [^;]* ON "?(?:submitted_jobs|live_jobs|finished_jobs|job_logs|artifacts|payments|idempotency_keys|messages|message_events|audit_entries)\b/i;
/** Up to here: the baseline, and the upgrade for which all processes stop. */
const BEFORE_CONCURRENT = '20261124000000_live_and_finished';

it('no migration keeps writers of a large table waiting while it builds an index', async () => {
  const later = (await readMigrations(MIGRATIONS)).filter(({ name }) => name > BEFORE_CONCURRENT);
  const waiting = later.filter(
    ({ sql }) => LARGE_INDEX.test(sql.replaceAll(/\s+/g, ' ')) && concurrentIndexOf(sql) === null,
  );

  expect(waiting.map(({ name }) => name)).toEqual([]);
});
