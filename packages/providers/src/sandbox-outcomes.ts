import type { FeedbackEvent, PaymentOutcome, PromptIds } from '@jobline/handlers/ports';
import { type Logger, newId, pause } from '@jobline/runtime';

/**
 * The outcomes of the sandbox. The recipient chooses one: the last digits of a phone, or an address at the domain below.
 * Other recipients have none.
 */
const DOMAIN = '@sandbox.jobline.test';
/** When most outcomes are known. */
export const OUTCOME_MS = 2_000;
const SLOW_MS = 10_000;
const RETRY_MS = 1_000;

type Reported = Pick<FeedbackEvent, 'kind' | 'status' | 'reason' | 'suppresses'> & { afterMs: number };

const delivered: Reported = {
  kind: 'delivered',
  status: 'delivered',
  reason: null,
  suppresses: null,
  afterMs: OUTCOME_MS,
};

const BY_ADDRESS: ReadonlyMap<string, Reported> = new Map<string, Reported>([
  ['delivered', delivered],
  ['slow', { ...delivered, afterMs: SLOW_MS }],
  [
    'bounced',
    { ...delivered, kind: 'bounce', status: 'bounced', reason: '550 5.1.1 user unknown', suppresses: 'bounce' },
  ],
  ['complained', { ...delivered, kind: 'spamreport', status: 'complained', suppresses: 'complaint' }],
]);

/** Null: it is never reported what became of the message. */
const BY_PHONE: ReadonlyMap<string, Reported | null> = new Map<string, Reported | null>([
  ['0001', delivered],
  ['0002', { ...delivered, kind: 'failed', status: 'failed', reason: 'the phone refused the message' }],
  ['0003', null],
]);

/** Reports outcomes as the callbacks of a provider do: later, and again if they could not be stored. */
export interface SandboxReports {
  /** Returns the provider's id of the message to a recipient of an email. Null: the recipient has no outcome. */
  email(to: string, messageId: string): string | null;
  /** The same for a text to a phone. */
  text(to: string): string | null;
  /** Reports at once what is not reported yet. */
  close(): Promise<void>;
}

export function createSandboxReports(deps: {
  take(provider: string, events: readonly FeedbackEvent[]): Promise<void>;
  log: Logger;
}): SandboxReports {
  const { take, log } = deps;
  const closing = new AbortController();
  const pending = new Set<Promise<void>>();

  async function report(id: string, messageId: string | null, { afterMs, ...event }: Reported): Promise<void> {
    for (let waitMs = afterMs; ; waitMs = RETRY_MS) {
      await pause(waitMs, closing.signal);
      try {
        const ids = { eventId: `${id}:${event.kind}`, messageId, providerMessageId: id };
        return await take('sandbox', [{ ...event, ...ids, occurredAt: new Date() }]);
      } catch (error) {
        log.warn('could not store an outcome of the sandbox', { error });
        if (closing.signal.aborted) return;
      }
    }
  }

  function accept(reported: Reported | null | undefined, messageId: string | null = null): string | null {
    if (reported === undefined) return null;
    const id = `sandbox-${newId()}`;
    if (reported) {
      const reporting: Promise<void> = report(id, messageId, reported).finally(() => pending.delete(reporting));
      pending.add(reporting);
    }
    return id;
  }

  return {
    email(to, messageId) {
      const address = to.toLowerCase();
      const outcome = address.endsWith(DOMAIN) ? BY_ADDRESS.get(address.slice(0, -DOMAIN.length)) : undefined;
      return accept(outcome, messageId);
    },
    text: (to) => accept(BY_PHONE.get(to.slice(-4))),
    async close() {
      closing.abort();
      await Promise.all(pending);
    },
  };
}

const REQUEST_ID = /^sandbox-(\d{4})-(\d+)-/;

/** The ids of a prompt, which contain all that its outcome depends on; null if its phone has no outcome. */
export function promptIdsFor(phone: string): PromptIds | null {
  const digits = phone.slice(-4);
  return BY_PHONE.has(digits)
    ? { requestId: `sandbox-${digits}-${Date.now()}-${newId()}`, merchantRequestId: null }
    : null;
}

/** The outcome of a prompt; null if there is none yet. */
export function outcomeOfPrompt(requestId: string): PaymentOutcome | null {
  const [, digits, promptedAt] = REQUEST_ID.exec(requestId) ?? [];
  const endedAt = new Date(Number(promptedAt) + OUTCOME_MS);
  if (endedAt.getTime() > Date.now()) return null;
  if (digits === '0001') {
    return { status: 'paid', code: '0', message: 'paid in the sandbox', receipt: 'SANDBOX0001', paidAt: endedAt };
  }
  if (digits !== '0002') return null;
  return { status: 'failed', code: '1032', message: 'the payer refused the prompt', receipt: null, paidAt: null };
}
