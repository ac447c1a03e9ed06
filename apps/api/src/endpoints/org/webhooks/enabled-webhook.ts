import { AppError, type OrgId } from '@jobline/contracts';
import { type DbSession, findWebhook, type WebhookRow } from '@jobline/db';
import { notFound } from '../../../http/errors.js';

/** The webhook, to which something will be sent. Throws if it is disabled, or if the organization has none of the id. */
export async function enabledWebhook(db: DbSession, orgId: OrgId, id: string): Promise<WebhookRow> {
  const row = await findWebhook(db, orgId, id);
  if (!row) throw notFound();
  if (!row.enabled)
    throw new AppError('conflict', 'The webhook is disabled, so nothing is sent to it. Enable it first.');
  return row;
}
