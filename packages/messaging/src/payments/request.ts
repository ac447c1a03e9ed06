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
import { beforeEffect } from '../before-effect.js';
import { toPayment } from './outcomes.js';

/** How long an answer of the provider is kept in memory while Postgres is away. After that, only the job's error has it. */
const RECORD = { limitMs: 20_000 };

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
      const begun = await beforeEffect(() => untilPostgresAnswers(() => beginPayment(db, orgId, row), RECORD));
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
      await untilPostgresAnswers(() => recordRefused(db, orgId, terms.id, error.message), RECORD);
      throw error;
    }
  }

  async function recordPromptIds(orgId: PaymentRow['orgId'], id: string, ids: PromptIds | null): Promise<PaymentRow> {
    try {
      return await untilPostgresAnswers(() => recordPrompted(db, orgId, id, ids, provider.firstQueryMs), RECORD);
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
