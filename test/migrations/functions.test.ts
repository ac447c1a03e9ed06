import { readdir, readFile } from 'node:fs/promises';
import type { DbSession } from '@jobline/db';
import { expect, it } from 'vitest';
import { withDatabaseBefore } from './database-before.js';

const FUNCTIONS = new URL('../../prisma/functions/', import.meta.url);
/** After every migration. */
const END = '9';

/** The functions of the schema, each with the triggers that call it, as Postgres prints them. */
async function listFunctions(db: DbSession): Promise<Map<string, string>> {
  const rows = await db.$queryRaw<{ name: string; text: string }[]>`
    SELECT p.proname::text AS name, concat_ws(E'\n', pg_get_functiondef(p.oid),
      (SELECT string_agg(pg_get_triggerdef(t.oid), E'\n' ORDER BY t.tgname) FROM pg_trigger t
        WHERE t.tgfoid = p.oid AND NOT t.tgisinternal)) AS text
    FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace ORDER BY 1`;
  return new Map(rows.map(({ name, text }) => [name, text]));
}

/** The first statement of a file creates the function. Its text may have semicolons. */
function statementsOf(sql: string): string[] {
  const end = sql.lastIndexOf('$$;') + 3;
  const triggers = sql.slice(end).split(';');
  return [sql.slice(0, end), ...triggers].filter((statement) => statement.trim() !== '');
}

it('each file of prisma/functions has the text of one function and of the triggers that call it, and no function has none', () =>
  withDatabaseBefore(END, async ({ db }) => {
    const migrated = await listFunctions(db);
    const files = (await readdir(FUNCTIONS)).sort();

    const created = await db.$transaction(async (tx) => {
      // A function may call one of a later file.
      await tx.$executeRaw`SET LOCAL check_function_bodies = off`;
      await dropFunctions(tx, migrated.keys());
      const texts: [string, string][] = [];
      for (const file of files) {
        const statements = statementsOf(await readFile(new URL(file, FUNCTIONS), 'utf8'));
        for (const statement of statements) await tx.$executeRawUnsafe(statement);
        const own = await listFunctions(tx);
        for (const [name, text] of own) texts.push([`${file}: ${name}`, text]);
        await dropFunctions(tx, own.keys());
      }
      return new Map(texts);
    });

    expect(created).toEqual(new Map([...migrated].map(([name, text]) => [`${name}.sql: ${name}`, text])));
  }));

async function dropFunctions(db: DbSession, names: Iterable<string>): Promise<void> {
  for (const name of names) await db.$executeRawUnsafe(`DROP FUNCTION ${name} CASCADE`);
}
