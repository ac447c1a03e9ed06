import { INVITE_VALID_HOURS, type OrgId, type UserId } from '@jobline/contracts';
import { clearMailToken, type Db, findUser, setMailToken, type UserRow } from '@jobline/db';
import type { SystemMail } from '@jobline/messaging';
import type { Limits } from '../rate-limits/checks.js';
import { makeLinkToken } from './secrets.js';

interface Deps {
  db: Db;
  limits: Limits;
  publicUrl: string;
}

/**
 * Creates the email of an invite. Its link has its own token, which the inviter never sees, so its use proves that the
 * recipient owns the address. Null: the invite no longer exists, or the address has been mailed too many invites today. The
 * email does not contain the organization's name: that is free text, which could imitate a message of the service.
 */
export async function makeInviteMail(
  { db, limits, publicUrl }: Deps,
  invite: { id: string; orgId: OrgId; email: string; invitedBy: UserId },
): Promise<SystemMail | null> {
  if (!(await limits.mayMailInvite(invite.email))) return null;
  const inviter = await findUser(db, invite.invitedBy);
  const { token, hash } = makeLinkToken();
  const mailed = inviter && (await setMailToken(db, invite.orgId, invite.id, hash));
  if (!mailed) return null;
  return {
    about: { invite_id: invite.id },
    to: mailed.email,
    subject: 'You are invited to an organization',
    body: [
      `${nameOf(inviter)} invites you, ${mailed.email}, to an organization at ${publicUrl}.`,
      `Accept within ${INVITE_VALID_HOURS} hours:`,
      `${publicUrl}/join#token=${token}`,
      ...(mailed.isUnproved ? unconfirmedLines(`${publicUrl}/reset#token=${token}`) : []),
      'If you do not know who invites you, ignore this email.',
    ].join('\n\n'),
    secret: token,
    takeBack: () => clearMailToken(db, hash),
  };
}

/** An address that was never proved may be that of another person, in whose name no one must be invited. */
function nameOf({ email, isProved }: UserRow): string {
  return isProved ? email : 'A user whose email address is not verified';
}

function unconfirmedLines(link: string): string[] {
  return [
    'Your address already has an account, and it has not been confirmed yet that it is yours. If you know its password, use it to accept.',
    'If you did not create this account, or do not know its password, choose a new one here. This also accepts the invite:',
    link,
    'It ends all sessions of the account, and its memberships in other organizations, except where it is the only owner.',
  ];
}
