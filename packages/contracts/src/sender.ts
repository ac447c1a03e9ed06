/** Whether the DNS record of a domain has been found. */
export const DOMAIN_STATUSES = ['pending', 'verified'] as const;
export type DomainStatus = (typeof DOMAIN_STATUSES)[number];

/** A domain that the organization sends email from, once it is verified. */
export interface DomainView {
  id: string;
  /** In lower case and punycode. */
  domain: string;
  status: DomainStatus;
  /** The DNS record to publish for the verification. */
  record: { type: 'TXT'; name: string; value: string };
  verified_at: string | null;
  created_at: string;
}

/** A domain with the result of the check that was just made. */
export interface CheckedDomainView extends DomainView {
  /** Why it is still pending; null: it is verified. */
  reason: string | null;
}

/** Whether a sender id may be used. `pending`: the operator has not approved it yet. */
export const SENDER_ID_STATUSES = ['pending', 'approved'] as const;
export type SenderIdStatus = (typeof SENDER_ID_STATUSES)[number];

/** A name or number that the organization may send text messages as. */
export interface SenderIdView {
  id: string;
  sender_id: string;
  /** Absent in the list of usable sender ids where no approval is needed. */
  status?: SenderIdStatus;
  created_at: string;
}

/** A sender id as the operator sees it. */
export interface OperatorSenderIdView extends SenderIdView {
  status: SenderIdStatus;
  org: { id: string; name: string };
}
