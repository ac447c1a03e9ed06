import type { OrgId } from '@jobline/contracts';
import type { ValidationFailure } from '@jobline/handlers/ports';
import type { Lookups } from './lookups.js';
import { readMailAddress } from './mail-address.js';

/**
 * The sender of a message. Without a requested sender it is the default one. A requested sender must belong to the
 * organization.
 */
export type Sender = { from: string | null; failure?: never } | { failure: ValidationFailure; from?: never };

export const ONE_ADDRESS = 'must be one email address, such as `Ada <ada@example.com>`';

/** The `from` of an email must be one address in a domain that the organization has verified. */
export async function emailSender(
  lookups: Pick<Lookups, 'isDomainVerified'>,
  orgId: OrgId,
  from: string | undefined,
): Promise<Sender> {
  if (from === undefined) return { from: null };
  const address = readMailAddress(from);
  if (!address) return fail('validation_failed', ONE_ADDRESS);
  if (await lookups.isDomainVerified(orgId, address.domain)) return { from: address.text };
  return fail('sender_domain_not_verified', `has the domain ${address.domain}, which is not verified here`);
}

/** The `from` of an SMS must be a sender id that the organization has registered and that is approved. */
export async function smsSender(
  lookups: Pick<Lookups, 'isSenderIdRegistered'>,
  orgId: OrgId,
  from: string | undefined,
): Promise<Sender> {
  if (from === undefined) return { from: null };
  if (isStorable(from) && (await lookups.isSenderIdRegistered(orgId, from))) return { from };
  return fail('sender_not_registered', 'is not a registered and approved sender id');
}

/** Whether Postgres can store the text. It rejects queries with other texts. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** What phone networks show as the sender: up to 11 characters with a letter among them, or a number. */
const ALPHANUMERIC = /^(?=.*[A-Za-z])[A-Za-z0-9](?:[A-Za-z0-9 &._-]{0,9}[A-Za-z0-9])?$/;
const NUMBER = /^\+?\d{3,15}$/;

/** Whether a text can be the sender of an SMS. */
export function isSenderId(text: string): boolean {
  return ALPHANUMERIC.test(text) || NUMBER.test(text);
}

function fail(code: ValidationFailure['code'], message: string): Sender {
  return { failure: { code, details: [{ path: 'payload.from', message: `"payload.from" ${message}` }] } };
}
