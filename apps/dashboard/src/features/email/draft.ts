import { type Draft, useDraft } from '../../drafts.js';
import type { Delivery } from '../../ui/index.js';

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
  /** The Idempotency-Key of this content, once it was sent off; empty again when the content changes. */
  key: string;
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
  key: '',
};

export function useEmailDraft(): Draft<EmailDraft> {
  return useDraft('email', EMPTY);
}

export function isBlank({ to, subject, body }: EmailDraft): boolean {
  return `${to}${subject}${body}`.trim() === '';
}

/** The body of the request, without its key. */
export function messageOf({ to, domain, from, subject, body }: EmailDraft) {
  return { to: to.trim(), subject, body, ...(domain !== '' && { from: `${from.trim()}@${domain}` }) };
}
