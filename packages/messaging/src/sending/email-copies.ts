import type { LogLevel, OrgId } from '@jobline/contracts';
import { type Db, untilPostgresAnswers } from '@jobline/db';
import { findSuppressed, type OnRecord, recordFailure, recordSent } from '@jobline/db/message-transitions';
import { ProviderFailure } from '@jobline/handlers/errors';
import { type AcceptedEmail, type EmailRequest, formsOf, type RefusedCopy } from '@jobline/handlers/ports';
import { pause, siblingId } from '@jobline/runtime';
import { attemptSend, failureOf, type Outgoing } from './outgoing.js';

/** The pauses before further tries of a copy that was refused for now. */
export const COPY_PAUSES_MS: readonly number[] = [1_000, 3_000, 6_000];
/** When no further try begins. Below the time limits of attempts and requests. */
const COPIES_WITHIN_MS = 20_000;

/** An email whose call has begun. */
export interface BegunEmail {
  db: Db;
  outgoing: Outgoing;
  /** The id of the message to `to`. */
  id: string;
  /** The value of the column `calling`. */
  calling: number;
  pausesMs: readonly number[];
  /** Ends the tries. */
  signal: AbortSignal;
  log(level: LogLevel, message: string): void;
}

/** Leaves out the copies to suppressed recipients. */
export async function leaveOutSuppressed<Email extends Pick<EmailRequest, 'cc' | 'bcc'>>(
  db: Db,
  orgId: OrgId,
  email: Email,
): Promise<{ email: Email; leftOut: string[] }> {
  const copies = [...(email.cc ?? []), ...(email.bcc ?? [])];
  if (copies.length === 0) return { email, leftOut: [] };
  const suppressed = await findSuppressed(db, orgId, copies.flatMap(formsOf));
  const isLeftOut = (recipient: string) => formsOf(recipient).some((form) => suppressed.has(form));
  const kept = (list: readonly string[] = []) => list.filter((recipient) => !isLeftOut(recipient));
  return { email: { ...email, cc: kept(email.cc), bcc: kept(email.bcc) }, leftOut: copies.filter(isLeftOut) };
}

/**
 * Records that the provider has accepted an email, and sends the copies that it has refused for now again, each alone. A
 * copy that it refuses fails, and nothing else does. Null: the record of the message is gone or belongs to another attempt.
 */
export async function settleAccepted(
  email: BegunEmail,
  { providerMessageId, refused = [] }: AcceptedEmail,
  recordSignal: AbortSignal,
): Promise<OnRecord | null> {
  const { db, id, calling, pausesMs } = email;
  const except = refused.map((copy) => copy.id);
  const record = () => recordSent(db, { id, calling }, providerMessageId, except);
  const sent = await untilPostgresAnswers(record, { signal: recordSignal });
  for (const copy of refused) if (!isTemporary(copy.failure)) await fail(email, copy.id, copy.failure);
  const open = refused.filter(({ failure }) => isTemporary(failure));
  await sendCopies(email, open, pausesMs);
  return sent;
}

/** Continues what an earlier attempt has left: the other recipients have the email. */
export async function sendOpenCopies(email: BegunEmail, ids: readonly string[]): Promise<void> {
  const { db, outgoing, id, calling, pausesMs } = email;
  if (!outgoing.isInPart) {
    // The provider has accepted the whole email.
    for (const copy of ids) await recordSent(db, { id: copy, calling }, null);
    return;
  }
  const known = new Set(outgoing.copies.map(({ key }) => siblingId(id, key)));
  for (const copy of ids) if (!known.has(copy)) await fail(email, copy, leftOut());
  const open = ids.filter((copy) => known.has(copy));
  const refused = open.map((copy) => ({ id: copy, failure: leftOut() }));
  await sendCopies(email, refused, [0, ...pausesMs]);
}

async function sendCopies(
  email: BegunEmail,
  refused: readonly RefusedCopy[],
  pausesMs: readonly number[],
): Promise<void> {
  const { db, outgoing, id, calling, signal } = email;
  const limit = AbortSignal.timeout(COPIES_WITHIN_MS);
  let open = refused;
  for (const pauseMs of pausesMs) {
    if (open.length === 0) return;
    await pause(pauseMs, signal);
    const next: RefusedCopy[] = [];
    for (const copy of open) {
      signal.throwIfAborted();
      if (limit.aborted) {
        next.push(copy);
        continue;
      }
      const end = await attemptSend(() => outgoing.send(id, AbortSignal.any([signal, limit]), new Set([copy.id])));
      if (end.kind === 'accepted') {
        const { providerMessageId } = end.accepted;
        await untilPostgresAnswers(() => recordSent(db, { id: copy.id, calling }, providerMessageId), { signal });
      } else if (end.error instanceof ProviderFailure && isTemporary(end.error)) {
        next.push({ id: copy.id, failure: end.error });
      } else await fail(email, copy.id, end.error);
    }
    open = next;
  }
  for (const { id: copy, failure } of open) await fail(email, copy, failure);
}

async function fail({ db, outgoing, id, calling, log }: BegunEmail, copy: string, error: unknown): Promise<void> {
  const failure = failureOf(error);
  await recordFailure(db, { id: copy, calling }, failure);
  const recipient = outgoing.copies.find(({ key }) => siblingId(id, key) === copy)?.recipient;
  if (recipient !== undefined) log('warn', `the copy to ${recipient} was not sent: ${failure.message}`);
}

function isTemporary({ kind }: ProviderFailure): boolean {
  return kind === 'transient' || kind === 'throttled';
}

function leftOut(): ProviderFailure {
  return new ProviderFailure('rejected', 'the recipient was left out');
}
