import type pg from 'pg';
import { beginSchemaChange, openClient } from '../postgres/pg-client.js';

/** Tables of which the apps may do less than read, insert, update and delete. */
const NARROWER: readonly { table: string; refused: string }[] = [
  // Deleting is left to the table's own trigger, which lets only entries go that have expired.
  { table: 'audit_entries', refused: 'UPDATE' },
  { table: '_prisma_migrations', refused: 'INSERT, UPDATE, DELETE' },
];
const ROWS = 'SELECT, INSERT, UPDATE, DELETE';

export interface AppRole {
  name: string;
  /** It did not exist and was created, with the password of the apps' address. */
  isNew: boolean;
}

/**
 * Lets the role of the apps' address read and write rows and nothing else: not own or alter a table, not truncate, not
 * change an audit entry. The same holds for tables that later migrations of this role make. A role that does not exist is
 * created if this one may do that. Safe to repeat; to be called after each migration.
 */
export async function grantToApps(migrationUrl: string, appUrl: string): Promise<AppRole> {
  const app = credentialsOf(appUrl);
  const client = await openClient(migrationUrl);
  try {
    await beginSchemaChange(client);
    const isNew = await ensureRole(client, app);
    for (const statement of await grants(client, client.escapeIdentifier(app.name))) await client.query(statement);
    await client.query('COMMIT');
    return { name: app.name, isNew };
  } finally {
    await client.end(); // rolls back what a failure left open
  }
}

interface Credentials {
  name: string;
  password: string;
}

function credentialsOf(appUrl: string): Credentials {
  const { username, password } = new URL(appUrl);
  if (username === '') throw new Error('DATABASE_URL names no user, who would be the role of the apps');
  return { name: decodeURIComponent(username), password: decodeURIComponent(password) };
}

/** Answers whether it was created. */
async function ensureRole(client: pg.Client, { name, password }: Credentials): Promise<boolean> {
  const found = await client.query<{ is_own: boolean; exists: boolean; may_create: boolean }>(
    `SELECT current_user = $1 AS is_own, EXISTS (SELECT FROM pg_roles WHERE rolname = $1) AS exists,
       (SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user) AS may_create`,
    [name],
  );
  const { is_own: isOwn = false, exists = false, may_create: mayCreate = false } = found.rows[0] ?? {};
  if (isOwn)
    throw new Error(`DATABASE_URL and MIGRATION_DATABASE_URL both name the role ${name}: give the apps another one`);
  if (exists) return false;
  // Looked up first: a statement that fails is in the server's log, with the password in it.
  if (!mayCreate || password === '') {
    throw new Error(`the role ${name} of DATABASE_URL does not exist: create it (CREATE ROLE … LOGIN PASSWORD …)`);
  }
  await client.query(`CREATE ROLE ${client.escapeIdentifier(name)} LOGIN PASSWORD ${client.escapeLiteral(password)}`);
  return true;
}

async function grants(client: pg.Client, role: string): Promise<string[]> {
  const [schema = 'public'] = await names(client, 'SELECT quote_ident(current_schema()) AS name');
  const tables = await names(client, OWN_RELATIONS, ['r', 'p']);
  const sequences = await names(client, OWN_RELATIONS, ['S']);
  const isThere = (table: string) => tables.some((name) => name.endsWith(`.${table}`));
  return [
    `GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
    // Before Postgres 15 everybody may: a function put there would run in the name of who migrates.
    `REVOKE CREATE ON SCHEMA ${schema} FROM PUBLIC, ${role}`,
    ...(tables.length > 0
      ? [`REVOKE ALL ON TABLE ${tables.join()} FROM ${role}`, `GRANT ${ROWS} ON TABLE ${tables.join()} TO ${role}`]
      : []),
    ...NARROWER.filter(({ table }) => isThere(table)).map(
      ({ table, refused }) => `REVOKE ${refused} ON TABLE ${schema}.${table} FROM ${role}`,
    ),
    ...(sequences.length > 0 ? [`GRANT USAGE, SELECT ON SEQUENCE ${sequences.join()} TO ${role}`] : []),
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT ${ROWS} ON TABLES TO ${role}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT USAGE, SELECT ON SEQUENCES TO ${role}`,
  ];
}

/** What this role may grant: others' tables in the same schema are none of the service's. */
const OWN_RELATIONS = `
  SELECT quote_ident(current_schema()) || '.' || quote_ident(relname) AS name FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace AND relkind = ANY ($1::"char"[])
    AND pg_has_role(current_user, relowner, 'USAGE')`;

async function names(client: pg.Client, query: string, kinds?: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(query, kinds && [kinds]);
  return rows.map(({ name }) => name);
}
