import type { ProviderFailure, ProviderFailureKind } from '@jobline/handlers/errors';
import type { PaymentOutcome, PromptIds } from '@jobline/handlers/ports';
import { readId, readWords } from '../feedback/callback.js';
import { answerFailure, kindOfStatus, type ProviderAnswer } from '../http/call-provider.js';
import { readJson } from '../http/read-json.js';
import { codeText, PAID } from './mpesa-report.js';

interface Answer {
  MerchantRequestID: unknown;
  CheckoutRequestID: unknown;
  ResponseCode: unknown;
  ResponseDescription: unknown;
  ResultCode: unknown;
  ResultDesc: unknown;
  errorCode: unknown;
  errorMessage: unknown;
}

/** The ids of an accepted prompt. The failure is `ambiguous` unless the answer says clearly that no prompt was sent. */
export function readAccepted(answer: ProviderAnswer): PromptIds {
  if (!isSuccess(answer)) throw failure(promptFailure(answer), answer);
  const { CheckoutRequestID, MerchantRequestID, ResponseCode } = readJson<Answer>(answer.text) ?? {};
  const code = codeText(ResponseCode);
  if (code !== null && code !== ACCEPTED) throw failure('rejected', answer);
  const requestId = readId(CheckoutRequestID);
  if (code === null || requestId === null) throw failure('ambiguous', answer);
  return { requestId, merchantRequestId: readId(MerchantRequestID) };
}

const ACCEPTED = '0';

/**
 * A 5xx answer proves that no prompt was sent only if the service itself names the error. Other 5xx answers come from a
 * proxy in front of it, which may have lost the answer to a prompt that was sent.
 */
function promptFailure(answer: ProviderAnswer): ProviderFailureKind {
  const { code = '', message = '' } = errorOf(answer) ?? {};
  if (code.startsWith('500.003.') || answer.status === 429) return 'throttled';
  if (code === BUSY_OR_WRONG) return /lock|in process/i.test(message) ? 'transient' : 'rejected';
  if (answer.status >= 500 || answer.status === 408) return 'ambiguous';
  return kindOfStatus(answer.status);
}

/**
 * Wrong credentials, or a payer who has another prompt open. In a status query: a prompt that the payer has not
 * answered.
 */
const BUSY_OR_WRONG = '500.001.1001';

/** The outcome of a prompt; null if the payer has not answered yet. */
export function readOutcome(answer: ProviderAnswer): PaymentOutcome | null {
  const { ResultCode, ResultDesc } = readJson<Answer>(answer.text) ?? {};
  const code = codeText(ResultCode);
  const error = errorOf(answer);
  if (code === STILL_OPEN || (error?.code === BUSY_OR_WRONG && /process/i.test(error.message))) return null;
  if (!isSuccess(answer) || code === null)
    throw failure(isSuccess(answer) ? 'transient' : kindOfStatus(answer.status), answer);
  return {
    status: code === PAID ? 'paid' : 'failed',
    code,
    message: readWords(ResultDesc) ?? '',
    receipt: null,
    paidAt: null,
  };
}

/** Some answers say with this result code that the prompt is still open; others with an error. */
const STILL_OPEN = '4999';

function isSuccess({ status }: ProviderAnswer): boolean {
  return status >= 200 && status < 300;
}

export function errorOf({ text }: ProviderAnswer): { code: string; message: string } | null {
  const { errorCode: code, errorMessage: message } = readJson<Answer>(text) ?? {};
  return typeof code === 'string' ? { code, message: typeof message === 'string' ? message : '' } : null;
}

function failure(kind: ProviderFailureKind, answer: ProviderAnswer): ProviderFailure {
  const { ResponseDescription } = readJson<Answer>(answer.text) ?? {};
  const error = errorOf(answer);
  const words = error ? `${error.message} (${error.code})` : ResponseDescription;
  const said = typeof words === 'string' && words !== '' ? `: ${words}` : '';
  return answerFailure(kind, `mpesa answered ${answer.status}${said}`, answer);
}
