import { checkPaymentAt, type PaymentRow, recordPaymentEnd, takeDuePayments } from '@jobline/db';
import type { PaymentsProvider } from '@jobline/handlers/ports';
import { handOver, type ReportsDeps } from './reports.js';

const LIMIT = 20;
/** Longer than a page of them takes; then somebody else may look. */
const AGAIN_MS = 120_000;
/** Of a provider that has said nothing for so long, nothing is expected any more. */
const GIVE_UP_MS = 24 * 3_600_000;
const QUERY_LIMIT_MS = 15_000;

const REST_MS = 2_000;

/**
 * Sees to the payments that are due: asks the provider for the end of a prompt whose report has not come, and hands ends
 * to jobs that were still at work when they came. Several processes may do so at once. Never rejects; answers how long
 * the next round is to be put off.
 */
export function createSettlePayments(deps: ReportsDeps & { provider: PaymentsProvider }): () => Promise<number> {
  return async () => {
    try {
      const due = await takeDuePayments(deps.db, { limit: LIMIT, againInMs: AGAIN_MS });
      await Promise.all(due.map((row) => settle(deps, row)));
      return due.length === LIMIT ? 0 : REST_MS;
    } catch (error) {
      deps.log.warn('payments could not be looked at', { error });
      return REST_MS;
    }
  };
}

async function settle(
  deps: ReportsDeps & { provider: PaymentsProvider },
  row: PaymentRow & { ageMs: number },
): Promise<void> {
  try {
    if (row.status !== 'prompted') return await handOver(deps, row);
    const ended = await ask(deps, row);
    if (ended) return await handOver(deps, ended);
    await checkPaymentAt(deps.db, row, row.ageMs > GIVE_UP_MS ? null : Math.max(AGAIN_MS, row.ageMs / 2));
  } catch (error) {
    // It has been put off already.
    deps.log.warn('a payment could not be looked at', { payment: row.id, error });
  }
}

async function ask({ db, provider }: Parameters<typeof settle>[0], row: PaymentRow): Promise<PaymentRow | null> {
  const { requestId, merchantRequestId } = row;
  if (row.provider !== provider.provider || requestId === null) return null;
  const outcome = await provider.query(requestId, AbortSignal.timeout(QUERY_LIMIT_MS));
  return (
    outcome && recordPaymentEnd(db, row.provider, { paymentId: row.id, ids: { requestId, merchantRequestId } }, outcome)
  );
}
