import type { Submission } from '../../api/submit-job.js';
import type { Delivery } from '../../product/message/delivery-fields.js';
import { retriesError } from '../../product/message/delivery-fields.js';

/** The values of the compose form, their rules, and their conversion to API requests. */
export interface Compose {
  to: string;
  /** A registered sender ID, or DEFAULT_SENDER. */
  from: string;
  message: string;
  how: Delivery;
  /** The number of retries of a queued SMS. */
  max_retries: string;
  /** The earliest time at which a queued SMS is sent, in ISO 8601; null: immediately. */
  run_at: string | null;
}

/** Stands for the default sender. Sender IDs cannot contain a colon. */
export const DEFAULT_SENDER = ':default';

export const EMPTY: Compose = { to: '', from: DEFAULT_SENDER, message: '', how: 'now', max_retries: '3', run_at: null };

/** The limit of the API: a hundred segments. */
const MAX_CHARACTERS = 16_000;

/** Removes the characters that people write between digits. */
function plainNumber(typed: string): string {
  return typed.replace(/[\s().-]/g, '');
}

export const rules = {
  to: {
    required: 'Enter the phone number of the recipient.',
    validate: (to: string) =>
      /^\+[1-9]\d{6,14}$/.test(plainNumber(to)) || 'Start with + and the country code, such as +254700000000.',
  },
  message: {
    required: 'Enter the message.',
    maxLength: { value: MAX_CHARACTERS, message: 'A message can have at most 16,000 characters (100 segments).' },
  },
  max_retries: {
    validate: (text: string, { how }: Compose) => how === 'now' || (retriesError(text) ?? true),
  },
} as const;

interface Outgoing {
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

/** Returns the form field that a validation issue of the API belongs to. */
export function fieldOf({ path }: { path: string }): string {
  return path.replace(/^payload\./, '');
}
