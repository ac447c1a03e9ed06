import type { CallFailure } from '@jobline/db/message-transitions';
import { HandlerError, ProviderFailure } from '@jobline/handlers/errors';

/** The result of a call to a provider. */
export type SendResult =
  | { kind: 'accepted'; providerMessageId: string | null }
  | { kind: 'failed'; failure: CallFailure; error: unknown };

/** Calls a provider and returns what is known about the result. Never rejects. */
export async function attemptSend(call: () => Promise<{ providerMessageId: string | null }>): Promise<SendResult> {
  try {
    return { kind: 'accepted', ...(await call()) };
  } catch (error) {
    return { kind: 'failed', failure: failureOf(error), error };
  }
}

/**
 * Decides whether the provider may have accepted the message: after any error other than a clear statement of the
 * provider, it may have.
 */
function failureOf(error: unknown): CallFailure {
  const message = error instanceof Error ? error.message : String(error);
  const isKnown = error instanceof HandlerError && !(error instanceof ProviderFailure && error.kind === 'ambiguous');
  return isKnown
    ? { kind: 'refused', code: error.code, message }
    : { kind: 'unknown', code: 'unknown_effect', message: `it is unknown whether the message was sent: ${message}` };
}
