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

/** A prompt waits about a minute for the payer. Then its provider is queried, in case its report does not arrive. */
const FIRST_CHECK_MS = 90_000;
const RECORD_RETRY_MS = 200;
/** An answer that cannot be stored within this time appears only in the error of the job. */
const RECORD_LIMIT_MS = 20_000;

/**
 * Writes a row, then calls the provider, then records the answer. If a row without an answer exists, the provider is
 * not called: the process that wrote the row died during its call or is still calling, and only the report of the
 * provider can show the outcome.
 */
export function createPayments({ db, provider }: { db: Db; provider: PaymentsProvider }): Payments {
  return {
    async request(orgId, jobKey, terms, signal) {
      signal.throwIfAborted();
      const row = { id: newId(), jobKey, provider: provider.provider, ...terms };
      const begun = await persist(() => beginPayment(db, orgId, row));
      if (!begun.mayCall) return readEarlierPrompt(begun.row, signal);
      const ids = await prompt(orgId, { ...terms, id: begun.id });
      return toPayment(await recordPromptIds(orgId, begun.id, ids));
    },
  };

  async function prompt(orgId: PaymentRow['orgId'], terms: PaymentTerms & { id: string }): Promise<PromptIds | null> {
    try {
      return await provider.prompt(terms);
    } catch (error) {
      if (!(error instanceof ProviderFailure) || error.kind === 'ambiguous') {
        throw unknownEffect(`it is unknown whether a payment prompt was sent: ${messageOf(error)}`, error);
      }
      await persist(() => recordRefused(db, orgId, terms.id, error.message));
      throw error;
    }
  }

  async function recordPromptIds(orgId: PaymentRow['orgId'], id: string, ids: PromptIds | null): Promise<PaymentRow> {
    try {
      return await persist(() => recordPrompted(db, orgId, id, ids, FIRST_CHECK_MS));
    } catch (error) {
      throw unknownEffect(`prompt ${ids?.requestId} was sent, but its id could not be stored`, error);
    }
  }

  /** The state of the prompt of an earlier attempt. */
  async function readEarlierPrompt(row: PaymentRow, signal: AbortSignal): Promise<Payment> {
    const known = toPayment(row);
    if (row.status === 'calling')
      throw unknownEffect('it is unknown whether a payment prompt was sent: an earlier attempt ended during its call');
    if (row.status === 'refused') throw new ProviderFailure('transient', row.resultMessage ?? 'no prompt was sent');
    if (known.outcome || !known.ids || row.provider !== provider.provider) return known;
    const outcome = await provider.query(known.ids.requestId, signal);
    if (!outcome) return known;
    const ended = await recordPaymentEnd(db, row.provider, { paymentId: row.id, ids: known.ids }, outcome);
    return ended ? toPayment(ended) : { ...known, outcome };
  }
}

function unknownEffect(what: string, cause?: unknown): PermanentError {
  const message = `${what}. No attempt sends another prompt; the report of the provider is added to the result`;
  return new PermanentError(message, { code: 'unknown_effect', cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Retries the write while Postgres is unavailable, because what the provider has done must be recorded. */
async function persist<T>(write: () => Promise<T>): Promise<T> {
  for (const end = performance.now() + RECORD_LIMIT_MS; ; await pause(RECORD_RETRY_MS)) {
    try {
      return await write();
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > end) throw error;
    }
  }
}
