import type { Submission } from '../../api/submit-job.js';
import type { Delivery } from '../../product/message/delivery-fields.js';
import { retriesError } from '../../product/message/retries.js';

/** What the compose form holds, and what is asked of the API for it. */
export interface Compose {
  to: string;
  /** A registered sender id, or DEFAULT_SENDER. */
  from: string;
  message: string;
  how: Delivery;
  /** Of a queued one: how often another try is made. */
  max_retries: string;
  /** Of a queued one: not before then, ISO 8601; null is at once. */
  run_at: string | null;
}

/** No sender id has a colon. */
export const DEFAULT_SENDER = ':default';

export const EMPTY: Compose = { to: '', from: DEFAULT_SENDER, message: '', how: 'now', max_retries: '3', run_at: null };

/** A hundred segments: the API takes no more. */
export const MOST_CHARACTERS = 16_000;

/** Without what people put between digits. */
export function plainNumber(typed: string): string {
  return typed.replace(/[\s().-]/g, '');
}

export const rules = {
  to: {
    required: 'Enter the number that it goes to.',
    validate: (to: string) =>
      /^\+[1-9]\d{6,14}$/.test(plainNumber(to)) || 'Begin with + and the country code, as +254700000000.',
  },
  message: {
    required: 'Write the message.',
    maxLength: { value: MOST_CHARACTERS, message: 'A hundred segments, 16,000 characters, is the most.' },
  },
  max_retries: {
    validate: (text: string, { how }: Compose) => how === 'now' || (retriesError(text) ?? true),
  },
} as const;

export interface Outgoing {
  to: string;
  message: string;
  from?: string;
}

export function toOutgoing({ to, from, message }: Compose): Outgoing {
  return { to: plainNumber(to), message, ...(from !== DEFAULT_SENDER && { from }) };
}

export function toJob(values: Compose): Submission {
  return {
    type: 'send_sms',
    payload: toOutgoing(values),
    max_retries: Number(values.max_retries),
    ...(values.run_at !== null && { run_at: values.run_at }),
  };
}

/** Where the form has what a detail of the API's refusal is about. */
export function fieldOf({ path }: { path: string }): string {
  return path.replace(/^payload\./, '');
}
