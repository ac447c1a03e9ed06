import { formatMoment } from '../../format/index.js';
import { Callout, Copy } from '../../ui/index.js';
import type { NewInvite } from './use-invites.js';

/** The invite link, which is shown only once, with instructions. */
export function InviteLink({ invite }: { invite: NewInvite }) {
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-3 rounded-card border border-line bg-sunken p-3">
        <p className="font-mono text-mono break-all select-all">{invite.invite_url}</p>
        <Copy text={invite.invite_url} label="Copy link" className="self-start" />
      </div>
      <p className="text-body">
        Send this link to <span className="font-medium wrap-anywhere">{invite.email}</span> over a private channel. If
        this service can send emails, they also receive a link by email. Only one of the links can be used, once, until{' '}
        {formatMoment(invite.expires_at)}.
      </p>
      <Callout>The link is not shown again. If it is lost, create a new one under “Pending invites”.</Callout>
    </div>
  );
}
