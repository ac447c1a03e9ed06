import { type DraftForm, useDraftForm } from '../../drafts/use-draft-form.js';
import type { Delivery } from '../../product/message/delivery-fields.js';

/** What is written in the compose panel, as it is kept in this tab. */
export interface EmailDraft {
  to: string;
  /** The verified domain to send from; empty: the default sender. */
  domain: string;
  /** What stands before the @, for such a domain. */
  from: string;
  subject: string;
  body: string;
  delivery: Delivery;
  max_retries: string;
  run_at: string | null;
}

export const EMPTY: EmailDraft = {
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

/** What goes to its reader. */
export function messageOf({ to, domain, from, subject, body }: EmailDraft) {
  return { to: to.trim(), subject, body, ...(domain !== '' && { from: `${from.trim()}@${domain}` }) };
}
