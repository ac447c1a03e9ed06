import type { JsonObject, LogLevel, OrgId } from '@jobline/contracts';
import { checkPaymentAt, type Db, hasPayment, type PaymentRow, recordPaymentEnd, takeDuePayments } from '@jobline/db';
import {
  type Payment,
  type PaymentOutcome,
  type PaymentReport,
  type PaymentsProvider,
  paymentLine,
  paymentResult,
} from '@jobline/handlers/ports';
import type { Logger } from '@jobline/runtime';

interface OutcomeDeps {
  db: Db;
  /** Adds the outcome to the result of a finished job. False: the job is not finished yet. */
  amend(
    orgId: OrgId,
    key: PaymentRow['jobKey'],
    amendment: { result: JsonObject; level: LogLevel; message: string },
  ): Promise<boolean>;
  log: Logger;
}

/**
 * Processes the reports of a provider, given by its name. When it resolves, they are stored. A repeat changes nothing,
 * and a report for an unknown payment is only logged. The result of the job is updated then, or soon if the job is
 * still running.
 */
export type TakePaymentReports = (provider: string, reports: readonly PaymentReport[]) => Promise<void>;

export function createPaymentReports(deps: OutcomeDeps): TakePaymentReports {
  return async (provider, reports) => {
    for (const report of reports) await process(deps, provider, report);
  };
}

async function process(deps: OutcomeDeps, provider: string, report: PaymentReport): Promise<void> {
  const row = await recordPaymentEnd(deps.db, provider, report, report.outcome);
  if (row) return addOutcomeToJob(deps, row);
  if (await hasPayment(deps.db, provider, report)) return;
  deps.log.warn('received a report for an unknown payment', { provider, requestId: report.ids.requestId });
}

const RECHECK_RUNNING_JOB_MS = 1_000;

/**
 * Adds the outcome of a payment to its job. If the job is not finished yet, the next check of payments repeats this.
 */
async function addOutcomeToJob(deps: OutcomeDeps, row: PaymentRow): Promise<void> {
  const payment = toPayment(row);
  const isAdded = await deps.amend(row.orgId, row.jobKey, {
    result: paymentResult(payment),
    level: 'info',
    message: paymentLine(payment),
  });
  await checkPaymentAt(deps.db, row, isAdded ? null : RECHECK_RUNNING_JOB_MS);
}

const PAGE = 20;
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
export function createSettlePayments(deps: OutcomeDeps & { provider: PaymentsProvider }): () => Promise<number> {
  return async () => {
    try {
      const due = await takeDuePayments(deps.db, { limit: PAGE, againInMs: RECHECK_MS });
      await Promise.all(due.map((row) => settle(deps, row)));
      return due.length === PAGE ? 0 : IDLE_MS;
    } catch (error) {
      deps.log.warn('could not check payments', { error });
      return IDLE_MS;
    }
  };
}

async function settle(
  deps: OutcomeDeps & { provider: PaymentsProvider },
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

/** The payment of a row, as it is known outside the database. */
export function toPayment(row: PaymentRow): Payment {
  const { provider, requestId, merchantRequestId } = row;
  return { provider, ids: requestId === null ? null : { requestId, merchantRequestId }, outcome: outcomeOf(row) };
}

function outcomeOf({ status, resultCode, resultMessage, receipt, paidAt }: PaymentRow): PaymentOutcome | null {
  if (status !== 'paid' && status !== 'failed') return null;
  return { status, code: resultCode ?? '', message: resultMessage ?? '', receipt, paidAt };
}
