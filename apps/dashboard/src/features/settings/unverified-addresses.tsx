import { useMembers } from '../../api/use-list.js';
import { useCan, useMe } from '../../session/use-session.js';
import { SendLinkButton } from '../../shell/send-link-button.js';
import { Callout } from '../../ui/index.js';

/** Whose addresses are not verified: these owners and admins get no details of alerts and disabled webhooks by email. */
export function UnverifiedAddresses() {
  return useCan()('read_members') && <Unverified />;
}

const NAMED = 5;

function Unverified() {
  const { user } = useMe();
  const unverified = (useMembers().rows ?? []).filter(
    ({ role, email_verified }) => role !== 'member' && !email_verified,
  );
  const others = unverified.filter(({ id }) => id !== user.id).map(({ email }) => email);
  const more = others.length - NAMED;
  return (
    <>
      {unverified.length > others.length && (
        <Callout tone="warning" title="Your email address is not confirmed">
          <div className="flex flex-col items-start gap-3">
            <p className="wrap-anywhere">
              No details of alerts and disabled webhooks are sent to {user.email}. Open the link that was emailed to
              you, or request another one: at most one a day.
            </p>
            <SendLinkButton />
          </div>
        </Callout>
      )}
      {others.length > 0 && (
        <Callout tone="warning" title="Owners and admins without a confirmed address">
          <span className="wrap-anywhere">
            {others.slice(0, NAMED).join(', ')}
            {more > 0 && ` and ${more} more`}: no details of alerts and disabled webhooks are sent to them. Each can
            request a link on this page.
          </span>
        </Callout>
      )}
    </>
  );
}
