import type { DbSession } from '../postgres/client.js';

/** The operator's bound of each organization's running jobs; null: there is none. */
export async function findOrgMaxRunning(db: DbSession): Promise<number | null> {
  const [row] = await db.$queryRaw<{ max: number }[]>`SELECT org_max_running AS max FROM operator_limits`;
  return row?.max ?? null;
}

/** Stores the operator's bound. Jobs that are enqueued already start without it. */
export async function saveOrgMaxRunning(db: DbSession, max: number | null): Promise<void> {
  if (max === null) await db.$executeRaw`DELETE FROM operator_limits`;
  else {
    await db.$executeRaw`
      INSERT INTO operator_limits (org_max_running) VALUES (${max})
      ON CONFLICT (id) DO UPDATE SET org_max_running = excluded.org_max_running
      WHERE operator_limits.org_max_running <> excluded.org_max_running`;
  }
}
