import { useAction } from '../api/use-change.js';
import { useApi } from '../services.js';
import { Button } from '../ui/index.js';

/** Emails the user the link that verifies their address. */
export function SendLinkButton() {
  const api = useApi();
  const send = useAction(() => api.call('sendVerification', {}), 'The link is on its way to you');
  return (
    <Button busy={send.isPending} onClick={() => send.mutate()}>
      Send me a link
    </Button>
  );
}
