/** Whether the DNS record of a domain has been found. */
export const DOMAIN_STATUSES = ['pending', 'verified'] as const;
export type DomainStatus = (typeof DOMAIN_STATUSES)[number];

/** Whether a sender id may be used. `pending`: the operator has not approved it yet. */
export const SENDER_ID_STATUSES = ['pending', 'approved'] as const;
export type SenderIdStatus = (typeof SENDER_ID_STATUSES)[number];
