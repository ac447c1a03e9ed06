import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { PrimaryAction } from '../../keyboard/primary-action.js';
import { Page } from '../../shell/page-frame.js';
import { CreateKey } from './key-form.js';
import { KeyList } from './key-list.js';
import { WebhookSecret } from './webhook-secret.js';

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
