import { INVITE_VALID_HOURS, type OrgId, type UserId } from '@jobline/contracts';
import { clearMailToken, type Db, findUser, setMailToken } from '@jobline/db';
import type { SystemMail } from '@jobline/messaging';
import type { Limits } from '../limits/limits.js';
import { makeLinkToken } from './link-token.js';

interface Deps {
  db: Db;
  limits: Limits;
  publicUrl: string;
}

/**
 * Makes the mail of an invite, whose link has a token of its own: the inviter never sees it, so its use proves that the
 * address is its holder's. Null: the invite is gone, or its address has been mailed enough of them today. The
 * organization's name is not in it: that is free text, which could be made to look like a message of the service.
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
      `${inviter.email} invites you, ${mailed.email}, to an organization at ${publicUrl}.`,
      `Accept within ${INVITE_VALID_HOURS} hours:`,
      `${publicUrl}/join#token=${token}`,
      ...(mailed.isUnproved ? unprovedLines(`${publicUrl}/reset#token=${token}`) : []),
      'Do you not know who invites you? Then there is nothing to do.',
    ].join('\n\n'),
    secret: token,
    takeBack: () => clearMailToken(db, hash),
  };
}

function unprovedLines(link: string): string[] {
  return [
    'Your address has an account already, and nobody has shown yet that it is yours. If you know its password, accept with it.',
    'If you did not make this account, or do not know its password, choose a new one here, which accepts the invite, too:',
    link,
    'That ends all sessions of the account and its memberships of other organizations, except of one whose only owner it is.',
  ];
}
