import type { DbSession } from '../postgres/client.js';

/** The id of the installation that this database belongs to. It stays the same in dumps and replicas. */
export async function getInstallationId(db: DbSession): Promise<string> {
  const { id } = await db.installation.findFirstOrThrow();
  return id;
}
