import type { Db, HotDb } from '@jobline/db';
import { sqltag } from '@prisma/client/runtime/client';
import type pg from 'pg';

export interface Statement {
  text: string;
  values: unknown[];
}

/** The statements that a function of packages/db sends. None is run; each gets these rows. */
export async function statementsOf(
  send: (db: Db, hot: HotDb) => Promise<unknown>,
  rows: unknown[] = [],
): Promise<Statement[]> {
  const statements: Statement[] = [];
  async function note(parts: TemplateStringsArray, ...parameters: unknown[]) {
    const { text, values } = sqltag(parts, ...parameters);
    statements.push({ text, values });
    return rows;
  }
  // The casts: the functions under test use only these members.
  await send({ $queryRaw: note, $executeRaw: note } as unknown as Db, { query: note } as unknown as HotDb);
  return statements;
}

/**
 * How many pages of tables and indexes Postgres reads to run a statement, from memory or disk. Its changes are rolled
 * back.
 */
export async function pagesOf(client: pg.Client, { text, values }: Statement): Promise<number> {
  await client.query('BEGIN');
  const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
  await client.query('ROLLBACK');
  const plan = rows[0]['QUERY PLAN'][0].Plan;
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}

/**
 * How many rows the parts of a statement's plan read together, with those that they drop: its cost where pages do not show it, as in
 * joins. Its changes are rolled back.
 */
export async function rowsOf(client: pg.Client, { text, values }: Statement): Promise<number> {
  await client.query('BEGIN');
  const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
  await client.query('ROLLBACK');
  return visited(rows[0]['QUERY PLAN'][0].Plan);
}

interface PlanNode {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: PlanNode[];
}

function visited(node: PlanNode): number {
  const dropped = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
  const own = (node['Actual Rows'] + dropped) * node['Actual Loops'];
  return own + (node.Plans ?? []).reduce((sum, part) => sum + visited(part), 0);
}
