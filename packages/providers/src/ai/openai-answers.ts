import { ProviderFailure } from '@jobline/handlers/errors';
import type { Summary } from '@jobline/handlers/ports';
import { type ProviderAnswer, statusFailure, withoutSecrets } from '../http/call-provider.js';
import { readJson } from '../http/read-json.js';

/** The name of the server in failures. */
export const WHO = 'the model’s server';

interface Completion {
  model: unknown;
  choices: { message?: { content?: unknown; refusal?: unknown }; finish_reason?: unknown }[];
}

interface Refused {
  error: { message?: unknown; code?: unknown; param?: unknown } | string;
  detail: unknown;
}

/** Reads the summary. `model` is absent if the answer does not name it. */
export function readSummary(answer: ProviderAnswer, key: string): Pick<Summary, 'summary'> & Partial<Summary> {
  if (answer.status !== 200) throw failure(answer, key);
  const { model, choices } = readJson<Completion>(answer.text) ?? {};
  const { message, finish_reason: end } = (Array.isArray(choices) ? choices[0] : null) ?? {};
  if (!message) throw new ProviderFailure('transient', 'the model’s server answered without a completion');
  if (typeof message.refusal === 'string') throw rejected(`the model refused: ${message.refusal}`);
  if (end === 'content_filter') throw rejected('the model’s answer was withheld by a filter');
  if (end === 'length') throw rejected('the model’s answer was cut off: AI_MAX_TOKENS is too low for it');
  const summary = typeof message.content === 'string' ? message.content.trim() : '';
  if (summary === '') throw rejected('the model returned an empty answer');
  return { summary, ...(typeof model === 'string' && { model }) };
}

const UNKNOWN = /unsupported|not supported|unrecognized/i;

/** Whether the server rejected this name of the parameter for the maximum length. */
export function isUnknownCap(answer: ProviderAnswer, cap: string): boolean {
  const error = errorOf(answer);
  if (answer.status !== 400 || !error) return false;
  // A message may quote the text of a tenant.
  return error.param === cap || (error.message.includes(cap) && UNKNOWN.test(error.message));
}

function failure(answer: ProviderAnswer, key: string): ProviderFailure {
  const error = errorOf(answer);
  const words = withoutSecrets(error?.message ?? '', [key]);
  // The status is that of a rate limit, but waiting does not add credit to an account.
  if (error?.code === 'insufficient_quota') return rejected(`the model’s server answered ${answer.status}: ${words}`);
  return statusFailure(answer, WHO, words);
}

function rejected(message: string): ProviderFailure {
  return new ProviderFailure('rejected', message);
}

/** OpenAI-compatible servers differ most in the form of their errors. */
function errorOf({ text }: ProviderAnswer): { message: string; code?: unknown; param?: unknown } | null {
  const { error, detail } = readJson<Refused>(text) ?? {};
  if (typeof error === 'string') return { message: error };
  if (error) return { ...error, message: typeof error.message === 'string' ? error.message : '' };
  return detail === undefined ? null : { message: typeof detail === 'string' ? detail : JSON.stringify(detail) };
}
