import type { JsonObject, LogLevel, OrgId } from '@jobline/contracts';
import { checkPaymentAt, type Db, hasPayment, type PaymentRow, recordPaymentEnd } from '@jobline/db';
import { type PaymentReport, paymentLine, paymentResult } from '@jobline/handlers/ports';
import type { Logger } from '@jobline/runtime';
import { toPayment } from './to-payment.js';

export interface ReportsDeps {
  db: Db;
  /** Puts what became known into the result of a finished job; false: it is not finished yet. */
  amend(
    orgId: OrgId,
    key: PaymentRow['jobKey'],
    amendment: { result: JsonObject; level: LogLevel; message: string },
  ): Promise<boolean>;
  log: Logger;
}

/**
 * Takes what a provider reports of payments, by its name. Resolved means kept: a repeat changes nothing, and one that
 * nobody knows is only logged. The job's result has it too then, or soon if the job is still at work.
 */
export type TakePaymentReports = (provider: string, reports: readonly PaymentReport[]) => Promise<void>;

export function createPaymentReports(deps: ReportsDeps): TakePaymentReports {
  return async (provider, reports) => {
    for (const report of reports) await take(deps, provider, report);
  };
}

async function take(deps: ReportsDeps, provider: string, report: PaymentReport): Promise<void> {
  const row = await recordPaymentEnd(deps.db, provider, report, report.outcome);
  if (row) return handOver(deps, row);
  if (await hasPayment(deps.db, provider, report)) return;
  deps.log.warn('a payment was reported that nobody knows', { provider, requestId: report.ids.requestId });
}

const JOB_STILL_RUNS_MS = 1_000;

/** Tells the job how its payment ended; if it is not over yet, the next look at payments tells it. */
export async function handOver(deps: ReportsDeps, row: PaymentRow): Promise<void> {
  const payment = toPayment(row);
  const isTold = await deps.amend(row.orgId, row.jobKey, {
    result: paymentResult(payment),
    level: 'info',
    message: paymentLine(payment),
  });
  await checkPaymentAt(deps.db, row, isTold ? null : JOB_STILL_RUNS_MS);
}
