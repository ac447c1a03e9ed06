import {
  beginPayment,
  type Db,
  isUnavailable,
  type PaymentRow,
  recordPaymentEnd,
  recordPrompted,
  recordRefused,
} from '@jobline/db';
import { PermanentError, ProviderFailure } from '@jobline/handlers/errors';
import type { Payment, Payments, PaymentsProvider, PaymentTerms, PromptIds } from '@jobline/handlers/ports';
import { newId, pause } from '@jobline/runtime';
import { toPayment } from './to-payment.js';

/** A prompt waits a minute or so for the payer; then its provider is asked, in case that its report does not come. */
const FIRST_CHECK_MS = 90_000;
const RECORD_AGAIN_MS = 200;
/** An answer that cannot be kept for so long is only told in the job's error. */
const RECORD_LIMIT_MS = 20_000;

/**
 * The row first, then the call, then what came of it. Whoever finds a row without an answer does not call: whoever wrote
 * it died amid its call, or is still at it, and only the provider's own report can tell what came of that.
 */
export function createPayments({ db, provider }: { db: Db; provider: PaymentsProvider }): Payments {
  return {
    async request(orgId, jobKey, terms, signal) {
      signal.throwIfAborted();
      const row = { id: newId(), jobKey, provider: provider.provider, ...terms };
      const begun = await persist(() => beginPayment(db, orgId, row));
      if (!begun.mayCall) return lookAt(begun.row, signal);
      const ids = await prompt(orgId, { ...terms, id: begun.id });
      return toPayment(await keep(orgId, begun.id, ids));
    },
  };

  async function prompt(orgId: PaymentRow['orgId'], terms: PaymentTerms & { id: string }): Promise<PromptIds | null> {
    try {
      return await provider.prompt(terms);
    } catch (error) {
      if (!(error instanceof ProviderFailure) || error.kind === 'ambiguous') {
        throw unknownEffect(`nobody knows whether the payer was asked: ${messageOf(error)}`, error);
      }
      await persist(() => recordRefused(db, orgId, terms.id, error.message));
      throw error;
    }
  }

  async function keep(orgId: PaymentRow['orgId'], id: string, ids: PromptIds | null): Promise<PaymentRow> {
    try {
      return await persist(() => recordPrompted(db, orgId, id, ids, FIRST_CHECK_MS));
    } catch (error) {
      throw unknownEffect(`the payer is asked under ${ids?.requestId}, which could not be kept`, error);
    }
  }

  /** What became of the call of an earlier attempt. */
  async function lookAt(row: PaymentRow, signal: AbortSignal): Promise<Payment> {
    const known = toPayment(row);
    if (row.status === 'calling')
      throw unknownEffect('nobody knows whether the payer was asked: an earlier attempt ended amid its call');
    if (row.status === 'refused') throw new ProviderFailure('transient', row.resultMessage ?? 'nobody was asked');
    if (known.outcome || !known.ids || row.provider !== provider.provider) return known;
    const outcome = await provider.query(known.ids.requestId, signal);
    if (!outcome) return known;
    const ended = await recordPaymentEnd(db, row.provider, { paymentId: row.id, ids: known.ids }, outcome);
    return ended ? toPayment(ended) : { ...known, outcome };
  }
}

function unknownEffect(what: string, cause?: unknown): PermanentError {
  const message = `${what}. No attempt asks again; what the provider reports is added to the result`;
  return new PermanentError(message, { code: 'unknown_effect', cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Again while Postgres is away: what the provider has done is not to be forgotten for want of a record. */
async function persist<T>(write: () => Promise<T>): Promise<T> {
  for (const end = performance.now() + RECORD_LIMIT_MS; ; await pause(RECORD_AGAIN_MS)) {
    try {
      return await write();
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > end) throw error;
    }
  }
}
