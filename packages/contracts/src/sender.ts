/** Whether a domain's proof has been seen. */
export const DOMAIN_STATUSES = ['pending', 'verified'] as const;
export type DomainStatus = (typeof DOMAIN_STATUSES)[number];

/** A domain that the organization sends email from, once it is verified. */
export interface DomainView {
  id: string;
  /** In lower case and punycode. */
  domain: string;
  status: DomainStatus;
  /** What to publish in DNS so that it can be verified. */
  record: { type: 'TXT'; name: string; value: string };
  verified_at: string | null;
  created_at: string;
}

/** The same with what a look at its record has just shown. */
export interface CheckedDomainView extends DomainView {
  /** Why it is still pending; null: it is verified. */
  reason: string | null;
}

/** Whether a sender id may be used. `pending`: not before the operator approves it. */
export const SENDER_ID_STATUSES = ['pending', 'approved'] as const;
export type SenderIdStatus = (typeof SENDER_ID_STATUSES)[number];

/** A name or number that the organization may send text messages as. */
export interface SenderIdView {
  id: string;
  sender_id: string;
  /** Absent from usable ones where no approval is needed. */
  status?: SenderIdStatus;
  created_at: string;
}

/** The same as the operator sees it. */
export interface OperatorSenderIdView extends SenderIdView {
  status: SenderIdStatus;
  org: { id: string; name: string };
}
