import { JoblineError } from '@jobline/client';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { formatMoment } from '../../format/index.js';
import { PrimaryAction } from '../../keyboard/primary-action.js';
import { useApi } from '../../services.js';
import { ConfirmDialog } from '../../shell/confirm-dialog.js';
import { Page } from '../../shell/page-frame.js';
import { Button, Callout, Copy, Panel, RequestId } from '../../ui/index.js';
import { CreateKey } from './key-form.js';
import { KeyList } from './key-list.js';

const route = getRouteApi('/app/keys');

export function KeysPage() {
  const { new: creating, ...shown } = route.useSearch();
  const navigate = useNavigate();
  const create = () => void navigate({ to: '/keys', search: { ...shown, new: 1 }, replace: true });
  const close = () => void navigate({ to: '/keys', search: shown, replace: true });
  return (
    <Page
      title="API keys"
      description="Keys with which programs call the API. The scopes and job types of a key say what it may do."
      actions={<PrimaryAction label="Create key" group="API keys" run={create} />}
    >
      <div className="flex flex-col gap-6">
        <KeyList onCreate={create} />
        <WebhookSecret />
      </div>
      {creating && <CreateKey onClose={close} />}
    </Page>
  );
}

const OVERLAP_MS = 24 * 3_600_000;

/** The secret that signs webhooks. It is loaded when the user wants to see it, and kept only in this component. */
function WebhookSecret() {
  const api = useApi();
  const [secret, setSecret] = useState<string | null>(null);
  const [rotatedAt, setRotatedAt] = useState<number | null>(null);
  const [asking, setAsking] = useState(false);
  // It returns nothing, because TanStack Query would keep the secret.
  const show = useMutation({ mutationFn: async () => setSecret((await api.webhooks.organizationSecret()).secret) });
  const { error } = show;
  return (
    <Panel
      title="Webhook secret"
      description="Signs the requests of webhook jobs, as Standard Webhooks defines. Receivers verify the signature with it."
      actions={
        <>
          <Button
            size="small"
            busy={show.isPending}
            onClick={() => (secret === null ? show.mutate() : setSecret(null))}
          >
            {secret === null ? 'Show' : 'Hide'}
          </Button>
          <Button size="small" onClick={() => setAsking(true)}>
            Rotate
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <div className="flex min-h-9 flex-wrap items-center justify-between gap-3">
          <p className="min-w-0 font-mono text-mono break-all">
            {secret ?? (
              <>
                <span aria-hidden="true">whsec_{'•'.repeat(24)}</span>
                <span className="sr-only">Hidden</span>
              </>
            )}
          </p>
          {secret !== null && <Copy text={secret} label="Copy secret" />}
        </div>
        {error && (
          <Callout tone="danger" role="alert">
            {error.message}
            {error instanceof JoblineError && error.requestId && <RequestId value={error.requestId} />}
          </Callout>
        )}
        {rotatedAt !== null && (
          <Callout role="status" title="This is the new secret">
            Requests are also signed with the old secret until{' '}
            {formatMoment(new Date(rotatedAt + OVERLAP_MS).toISOString())}. Give receivers the new secret before then.
          </Callout>
        )}
      </div>
      {asking && (
        <ConfirmDialog
          title="Rotate the webhook secret?"
          verb="Rotate"
          run={async () => {
            setSecret((await api.webhooks.rotateOrganizationSecret()).secret);
            setRotatedAt(Date.now());
            show.reset();
          }}
          onClose={() => setAsking(false)}
        >
          Requests are signed with a new secret from now on, and also with the old one for 24 hours. Update the
          receivers in this time.
        </ConfirmDialog>
      )}
    </Panel>
  );
}
