import type pg from 'pg';
import { beginSchemaChange, openClient } from '../postgres/pg-client.js';

/** Tables on which the apps have fewer privileges than read, insert, update and delete. */
const NARROWER: readonly { table: string; refused: string }[] = [
  // Deletes are restricted by the table's trigger, which allows only the deletion of expired entries.
  { table: 'audit_entries', refused: 'UPDATE' },
  { table: '_prisma_migrations', refused: 'INSERT, UPDATE, DELETE' },
  // A view of other tables.
  { table: 'jobs', refused: 'INSERT, UPDATE, DELETE' },
];
const ROWS = 'SELECT, INSERT, UPDATE, DELETE';

export interface AppRole {
  name: string;
  /** The role did not exist and was created, with the password of the apps' database URL. */
  isNew: boolean;
}

/**
 * Lets the role of the apps' database URL read and write rows and nothing else: it cannot own or alter a table,
 * truncate one, or change an audit entry. The same holds for tables that later migrations of this role create. A
 * missing role is created if this role may do that. Safe to repeat; call it after each migration.
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
  if (username === '') throw new Error('DATABASE_URL names no user: name the role of the apps');
  return { name: decodeURIComponent(username), password: decodeURIComponent(password) };
}

/** Returns whether the role was created. */
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
  // The role is looked up first: a failed statement would appear in the server's log with the password in it.
  if (!mayCreate || password === '') {
    throw new Error(`the role ${name} of DATABASE_URL does not exist: create it (CREATE ROLE … LOGIN PASSWORD …)`);
  }
  await client.query(`CREATE ROLE ${client.escapeIdentifier(name)} LOGIN PASSWORD ${client.escapeLiteral(password)}`);
  return true;
}

async function grants(client: pg.Client, role: string): Promise<string[]> {
  const [schema = 'public'] = await names(client, 'SELECT quote_ident(current_schema()) AS name');
  const tables = await names(client, OWN_RELATIONS, ['r', 'p', 'v']);
  const sequences = await names(client, OWN_RELATIONS, ['S']);
  const isThere = (table: string) => tables.some((name) => name.endsWith(`.${table}`));
  return [
    `GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
    // Before Postgres 15 every role may create objects: a function placed there would run with the rights of the
    // migrating role.
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

/** The relations that this role may grant: tables of others in the same schema are left alone. */
const OWN_RELATIONS = `
  SELECT quote_ident(current_schema()) || '.' || quote_ident(relname) AS name FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace AND relkind = ANY ($1::"char"[])
    AND pg_has_role(current_user, relowner, 'USAGE')`;

async function names(client: pg.Client, query: string, kinds?: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(query, kinds && [kinds]);
  return rows.map(({ name }) => name);
}
