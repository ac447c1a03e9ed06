import { AUDIT_RETENTION_DAYS } from '@jobline/contracts';
import type { DbSession } from '../postgres/client.js';

/** The tables whose rows expire: their key, the column with the time, and how long rows are kept after it. */
const EXPIRING = {
  alerts: { key: 'id', time: 'resolved_at', keptDays: 30 },
  // Until then the list shows expired keys.
  api_keys: { key: 'id', time: 'expires_at', keptDays: 30 },
  audit_entries: { key: 'id', time: 'at', keptDays: AUDIT_RETENTION_DAYS },
  // So long the link of an expired or consumed invite still shows its state.
  invites: { key: 'id', time: 'expires_at', keptDays: 30 },
  password_resets: { key: 'token_hash', time: 'expires_at', keptDays: 0 },
  sessions: { key: 'id', time: 'expires_at', keptDays: 0 },
  webhook_secrets: { key: 'id', time: 'retires_at', keptDays: 0 },
} as const;

export type ExpiringTable = keyof typeof EXPIRING;

/** Deletes at most `limit` expired rows, the oldest first. Returns how many. */
export function deleteExpired(db: DbSession, table: ExpiringTable, limit: number): Promise<number> {
  const { key, time, keptDays } = EXPIRING[table];
  // Safe: the names are those above, and the values are parameters.
  return db.$executeRawUnsafe(
    `DELETE FROM ${table} WHERE ${key} IN (
       SELECT ${key} FROM ${table} WHERE ${time} < now() - $1::int * interval '1 day' ORDER BY ${time} LIMIT $2)`,
    keptDays,
    limit,
  );
}
