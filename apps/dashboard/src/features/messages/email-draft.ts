import { type DraftForm, useDraftForm } from '../../drafts/use-draft-form.js';
import type { Delivery } from '../../product/message/delivery-fields.js';

/** The values of the compose panel, which are stored as a draft in this tab. */
export interface EmailDraft {
  to: string;
  /** The verified domain to send from. Empty: the default sender. */
  domain: string;
  /** The name before the @, if a domain is chosen. */
  from: string;
  subject: string;
  body: string;
  delivery: Delivery;
  max_retries: string;
  run_at: string | null;
}

const EMPTY: EmailDraft = {
  to: '',
  domain: '',
  from: '',
  subject: '',
  body: '',
  delivery: 'now',
  max_retries: '3',
  run_at: null,
};

export function useEmailDraft(): DraftForm<EmailDraft> {
  return useDraftForm('email', EMPTY);
}

export function isBlank({ to, subject, body }: EmailDraft): boolean {
  return `${to}${subject}${body}`.trim() === '';
}

/** Returns the message in the format of the API. */
export function messageOf({ to, domain, from, subject, body }: EmailDraft) {
  return { to: to.trim(), subject, body, ...(domain !== '' && { from: `${from.trim()}@${domain}` }) };
}
