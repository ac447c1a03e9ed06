import type { CallFailure } from '@jobline/db/message-transitions';
import { HandlerError, ProviderFailure } from '@jobline/handlers/errors';

/** How the call to a provider ended. */
export type SendResult =
  | { kind: 'accepted'; providerMessageId: string | null }
  | { kind: 'failed'; failure: CallFailure; error: unknown };

/** Calls a provider, and says what may be known of it. Never rejects. */
export async function attemptSend(call: () => Promise<{ providerMessageId: string | null }>): Promise<SendResult> {
  try {
    return { kind: 'accepted', ...(await call()) };
  } catch (error) {
    return { kind: 'failed', failure: failureOf(error), error };
  }
}

/** Only what a provider says of itself is believed: after anything else it may have the message. */
function failureOf(error: unknown): CallFailure {
  const message = error instanceof Error ? error.message : String(error);
  const isKnown = error instanceof HandlerError && !(error instanceof ProviderFailure && error.kind === 'ambiguous');
  return isKnown
    ? { kind: 'refused', code: error.code, message }
    : { kind: 'unknown', code: 'unknown_effect', message: `nobody knows whether it was sent: ${message}` };
}
