import { useAction, useChange } from '../../api/use-change.js';
import { useMe } from '../../session/use-session.js';
import { Page } from '../../shell/page-frame.js';
import { SendLinkButton } from '../../shell/send-link-button.js';
import { useLinkToken } from '../../shell/use-link-token.js';
import { Button, Panel } from '../../ui/index.js';

/** The page of the emailed link. The signed-in user confirms, because the owner of an address must not confirm an account of others. */
export function VerifyPage() {
  const { user } = useMe();
  const token = useLinkToken(undefined);
  const verify = useChange((api, body: { token: string }) => api.call('verifyAddress', { body }), 'listMembers');
  const confirm = useAction(verify);
  const address = <strong className="font-medium wrap-anywhere">{user.email}</strong>;
  return (
    <Page title="Confirm your email address">
      <Panel className="max-w-2xl">
        {confirm.isSuccess ? (
          <p>{address} is confirmed. You get the alerts and notices of your organizations.</p>
        ) : (
          <div className="flex flex-col items-start gap-4">
            <p>
              You are signed in as {address}.{' '}
              {token === undefined
                ? 'The link is incomplete: it was cut off when it was copied. You can request another one.'
                : 'Confirm that this account is yours and that you receive email at this address.'}
            </p>
            <div className="flex flex-wrap gap-2">
              {token !== undefined && (
                <Button variant="primary" busy={confirm.isPending} onClick={() => confirm.mutate({ token })}>
                  Confirm
                </Button>
              )}
              <SendLinkButton />
            </div>
          </div>
        )}
      </Panel>
    </Page>
  );
}
