import {
  beginPayment,
  type Db,
  type PaymentRow,
  recordPaymentEnd,
  recordPrompted,
  recordRefused,
  untilPostgresAnswers,
} from '@jobline/db';
import { PermanentError, ProviderFailure } from '@jobline/handlers/errors';
import type { Payment, Payments, PaymentsProvider, PaymentTerms, PromptIds } from '@jobline/handlers/ports';
import { newId } from '@jobline/runtime';
import { toPayment } from './known.js';

/** A prompt waits a minute or so for the payer; then its provider is asked, in case that its report does not come. */
const FIRST_CHECK_MS = 90_000;
/** How long an answer of the provider is kept in memory while Postgres is away. After that, only the job's error has it. */
const RECORD = { limitMs: 20_000 };

/**
 * The row first, then the call, then what came of it. Whoever finds a row without an answer does not call: whoever wrote
 * it died amid its call, or is still at it, and only the provider's own report can tell what came of that.
 */
export function createPayments({ db, provider }: { db: Db; provider: PaymentsProvider }): Payments {
  return {
    async request(orgId, jobKey, terms, signal) {
      signal.throwIfAborted();
      const row = { id: newId(), jobKey, provider: provider.provider, ...terms };
      const begun = await untilPostgresAnswers(() => beginPayment(db, orgId, row), RECORD);
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
      await untilPostgresAnswers(() => recordRefused(db, orgId, terms.id, error.message), RECORD);
      throw error;
    }
  }

  async function keep(orgId: PaymentRow['orgId'], id: string, ids: PromptIds | null): Promise<PaymentRow> {
    try {
      return await untilPostgresAnswers(() => recordPrompted(db, orgId, id, ids, FIRST_CHECK_MS), RECORD);
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
