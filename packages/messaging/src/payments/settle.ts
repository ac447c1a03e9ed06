import { checkPaymentAt, type PaymentRow, recordPaymentEnd, takeDuePayments } from '@jobline/db';
import type { PaymentsProvider } from '@jobline/handlers/ports';
import { addOutcomeToJob, type ReportsDeps } from './reports.js';

const LIMIT = 20;
/** Longer than processing a page of payments takes. After this time, another process may take the payment. */
const RECHECK_MS = 120_000;
/** After this time without an outcome, the provider is no longer queried. */
const GIVE_UP_MS = 24 * 3_600_000;
const QUERY_LIMIT_MS = 15_000;

const IDLE_MS = 2_000;

/**
 * Processes the payments that are due: queries the provider for the outcome of a prompt without a report, and adds
 * outcomes to jobs that were still running when they arrived. Several processes may do this at the same time. Never
 * rejects; returns how long to wait before the next round.
 */
export function createSettlePayments(deps: ReportsDeps & { provider: PaymentsProvider }): () => Promise<number> {
  return async () => {
    try {
      const due = await takeDuePayments(deps.db, { limit: LIMIT, againInMs: RECHECK_MS });
      await Promise.all(due.map((row) => settle(deps, row)));
      return due.length === LIMIT ? 0 : IDLE_MS;
    } catch (error) {
      deps.log.warn('could not check payments', { error });
      return IDLE_MS;
    }
  };
}

async function settle(
  deps: ReportsDeps & { provider: PaymentsProvider },
  row: PaymentRow & { ageMs: number },
): Promise<void> {
  try {
    if (row.status !== 'prompted') return await addOutcomeToJob(deps, row);
    const ended = await queryOutcome(deps, row);
    if (ended) return await addOutcomeToJob(deps, ended);
    await checkPaymentAt(deps.db, row, row.ageMs > GIVE_UP_MS ? null : Math.max(RECHECK_MS, row.ageMs / 2));
  } catch (error) {
    // Its next check is already scheduled.
    deps.log.warn('could not check a payment', { payment: row.id, error });
  }
}

async function queryOutcome(
  { db, provider }: Parameters<typeof settle>[0],
  row: PaymentRow,
): Promise<PaymentRow | null> {
  const { requestId, merchantRequestId } = row;
  if (row.provider !== provider.provider || requestId === null) return null;
  const outcome = await provider.query(requestId, AbortSignal.timeout(QUERY_LIMIT_MS));
  return (
    outcome && recordPaymentEnd(db, row.provider, { paymentId: row.id, ids: { requestId, merchantRequestId } }, outcome)
  );
}
