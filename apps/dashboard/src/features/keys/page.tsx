import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import { Page } from '../../shell/page-frame.js';
import { Button } from '../../ui/index.js';
import { CreateKey } from './create-key.js';
import { KeyList } from './key-list.js';
import { WebhookSecret } from './webhook-secret.js';

const route = getRouteApi('/app/keys');

export function KeysPage() {
  const { new: creating, ...shown } = route.useSearch();
  const navigate = useNavigate();
  const create = () => void navigate({ to: '/keys', search: { ...shown, new: 1 }, replace: true });
  const close = () => void navigate({ to: '/keys', search: shown, replace: true });
  useShortcut({ keys: 'n', label: 'Create key', group: 'API keys', run: create });
  return (
    <Page
      title="API keys"
      description="Keys with which programs call the API. The scopes and job types of a key say what it may do."
      actions={
        <Button variant="primary" icon={<Plus aria-hidden="true" />} onClick={create}>
          Create key
        </Button>
      }
    >
      <div className="flex flex-col gap-6">
        <KeyList onCreate={create} />
        <WebhookSecret />
      </div>
      {creating && <CreateKey onClose={close} />}
    </Page>
  );
}
