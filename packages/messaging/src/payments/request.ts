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
import { toPayment } from './known.js';

/** A prompt waits a minute or so for the payer; then its provider is asked, in case that its report does not come. */
const FIRST_CHECK_MS = 90_000;
const RECORD_AGAIN_MS = 200;
/** An answer that cannot be kept for so long is given up, and nobody knows of it. */
const RECORD_LIMIT_MS = 10_000;

/**
 * The row first, then the call, then what came of it. Whoever finds a row without an answer does not call: whoever wrote
 * it died amid its call, or is still at it, and only the provider's own report can tell what came of that.
 */
export function createPayments({ db, provider }: { db: Db; provider: PaymentsProvider }): Payments {
  return {
    async request(orgId, jobKey, terms, signal) {
      signal.throwIfAborted();
      const begun = await beginPayment(db, orgId, { id: newId(), jobKey, provider: provider.provider, ...terms });
      if (!begun.mayCall) return lookAt(begun.row, signal);
      const ids = await prompt(orgId, { ...terms, id: begun.id });
      return toPayment(await persist(() => recordPrompted(db, orgId, begun.id, ids, FIRST_CHECK_MS)));
    },
  };

  async function prompt(orgId: PaymentRow['orgId'], terms: PaymentTerms & { id: string }): Promise<PromptIds | null> {
    try {
      return await provider.prompt(terms);
    } catch (error) {
      if (!(error instanceof ProviderFailure) || error.kind === 'ambiguous') throw unknownEffect(error);
      await persist(() => recordRefused(db, orgId, terms.id, error.message));
      throw error;
    }
  }

  /** What became of the call of an earlier attempt. */
  async function lookAt(row: PaymentRow, signal: AbortSignal): Promise<Payment> {
    const known = toPayment(row);
    if (row.status === 'calling') throw unknownEffect();
    if (row.status === 'refused') throw new ProviderFailure('transient', row.resultMessage ?? 'nobody was asked');
    if (known.outcome || !known.ids || row.provider !== provider.provider) return known;
    const outcome = await provider.query(known.ids.requestId, signal);
    if (!outcome) return known;
    const ended = await recordPaymentEnd(db, row.provider, { paymentId: row.id, ids: known.ids }, outcome);
    return ended ? toPayment(ended) : { ...known, outcome };
  }
}

function unknownEffect(cause?: unknown): PermanentError {
  const why = cause instanceof Error ? cause.message : 'an earlier attempt ended amid its call to the provider';
  const message = `nobody knows whether the payer was asked: ${why}. It is not asked for again; ask the payer or the provider`;
  return new PermanentError(message, { code: 'unknown_effect', cause });
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
