import type { OrgId } from '@jobline/contracts';
import type { ValidationFailure } from '@jobline/handlers/ports';
import type { Lookups } from './lookups.js';
import { readMailAddress } from './mail-address.js';

/** Who may send as whom. Absent: the default sender; else it has to be the organization's own. */
export type Sender = { from: string | null; failure?: never } | { failure: ValidationFailure; from?: never };

/** An email's `from` is one address, of exactly a domain that the organization has verified. */
export async function emailSender(
  lookups: Pick<Lookups, 'isDomainVerified'>,
  orgId: OrgId,
  from: string | undefined,
): Promise<Sender> {
  if (from === undefined) return { from: null };
  const address = readMailAddress(from);
  if (!address) {
    return fail('validation_failed', 'must be one email address, as `Ada <ada@example.com>`');
  }
  if (await lookups.isDomainVerified(orgId, address.domain)) return { from: address.text };
  return fail('sender_domain_not_verified', `is of the domain ${address.domain}, which is not verified here`);
}

/** An SMS's `from` is exactly a sender id that the organization has registered, and that is approved. */
export async function smsSender(
  lookups: Pick<Lookups, 'isSenderIdRegistered'>,
  orgId: OrgId,
  from: string | undefined,
): Promise<Sender> {
  if (from === undefined) return { from: null };
  if (isStorable(from) && (await lookups.isSenderIdRegistered(orgId, from))) return { from };
  return fail('sender_not_registered', 'is no sender id that is registered and approved here');
}

/** Nothing has another name, and Postgres refuses to be asked. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

function fail(code: ValidationFailure['code'], message: string): Sender {
  return { failure: { code, details: [{ path: 'payload.from', message: `"payload.from" ${message}` }] } };
}
