import type { JsonObject, LogLevel, OrgId } from '@jobline/contracts';
import { checkPaymentAt, type Db, hasPayment, type PaymentRow, recordPaymentEnd } from '@jobline/db';
import { type PaymentReport, paymentLine, paymentResult } from '@jobline/handlers/ports';
import type { Logger } from '@jobline/runtime';
import { toPayment } from './to-payment.js';

export interface ReportsDeps {
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

export function createPaymentReports(deps: ReportsDeps): TakePaymentReports {
  return async (provider, reports) => {
    for (const report of reports) await process(deps, provider, report);
  };
}

async function process(deps: ReportsDeps, provider: string, report: PaymentReport): Promise<void> {
  const row = await recordPaymentEnd(deps.db, provider, report, report.outcome);
  if (row) return addOutcomeToJob(deps, row);
  if (await hasPayment(deps.db, provider, report)) return;
  deps.log.warn('received a report for an unknown payment', { provider, requestId: report.ids.requestId });
}

const RECHECK_RUNNING_JOB_MS = 1_000;

/**
 * Adds the outcome of a payment to its job. If the job is not finished yet, the next check of payments repeats this.
 */
export async function addOutcomeToJob(deps: ReportsDeps, row: PaymentRow): Promise<void> {
  const payment = toPayment(row);
  const isAdded = await deps.amend(row.orgId, row.jobKey, {
    result: paymentResult(payment),
    level: 'info',
    message: paymentLine(payment),
  });
  await checkPaymentAt(deps.db, row, isAdded ? null : RECHECK_RUNNING_JOB_MS);
}
