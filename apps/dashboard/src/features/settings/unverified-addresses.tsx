import { useMembers } from '../../api/use-list.js';
import { useCan, useMe } from '../../session/use-session.js';
import { SendLinkButton } from '../../shell/send-link-button.js';
import { Callout } from '../../ui/index.js';

/** Whose addresses are not verified: these people get no alerts and notices by email. */
export function UnverifiedAddresses() {
  const { user, email_verified } = useMe();
  const canReadMembers = useCan()('read_members');
  return (
    <>
      {!email_verified && (
        <Callout tone="warning" title="Your email address is not confirmed" actions={<SendLinkButton />}>
          <span className="wrap-anywhere">
            No details of alerts and disabled webhooks are sent to {user.email}. Open the link that was emailed to you,
            or request another one: at most one a day.
          </span>
        </Callout>
      )}
      {canReadMembers && <OtherAddresses selfId={user.id} />}
    </>
  );
}

const NAMED = 5;

function OtherAddresses({ selfId }: { selfId: string }) {
  const unverified = (useMembers().rows ?? []).filter(
    ({ id, role, email_verified }) => id !== selfId && role !== 'member' && !email_verified,
  );
  if (unverified.length === 0) return null;
  const named = unverified.slice(0, NAMED).map(({ email }) => email);
  const more = unverified.length - named.length;
  return (
    <Callout tone="warning" title="Owners and admins without a confirmed address">
      <span className="wrap-anywhere">
        {named.join(', ')}
        {more > 0 && ` and ${more} more`}: no details of alerts and disabled webhooks are sent to them. Each can request
        a link on this page.
      </span>
    </Callout>
  );
}
