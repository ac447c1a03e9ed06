import { formatMoment } from '../../format/index.js';
import { Callout, Copy } from '../../ui/index.js';
import type { NewInvite } from './use-invites.js';

/** The link, this once, and what to do with it. */
export function InviteLink({ invite }: { invite: NewInvite }) {
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-3 rounded-card border border-line bg-sunken p-3">
        <p className="font-mono text-mono break-all select-all">{invite.invite_url}</p>
        <Copy text={invite.invite_url} label="Copy link" className="self-start" />
      </div>
      <p className="text-body">
        Hand it to <span className="font-medium wrap-anywhere">{invite.email}</span> yourself, on a channel that nobody
        else reads. Where this service sends mail, they are mailed a link of their own, too. Only the first use counts,
        until {formatMoment(invite.expires_at)}.
      </p>
      <Callout>The link is not shown again. If it is lost, make a new one under “Pending invites”.</Callout>
    </div>
  );
}
