import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import { Page } from '../../shell/page-frame.js';
import { Button } from '../../ui/index.js';
import { ComposePanel } from './email-compose.js';
import { isBlank, useEmailDraft } from './email-draft.js';
import { Mailbox } from './mailbox.js';

const route = getRouteApi('/app/email');

/** Shows which emails were sent and whether they were delivered, and composes new ones. */
export function EmailPage() {
  const { folder, id, compose } = route.useSearch();
  const navigate = useNavigate();
  const draft = useEmailDraft();
  const written = isBlank(draft.values) ? null : draft.values;
  const current = { ...(folder && { folder }), ...(id && { id }) };
  const open = () => void navigate({ to: '/email', search: { ...current, compose: 1 } });
  const close = () => void navigate({ to: '/email', search: current });
  useShortcut({ keys: 'n', label: 'Compose', group: 'Email', run: open });
  return (
    <Page
      title="Email"
      actions={
        <Button variant="primary" onClick={open}>
          {written ? 'Continue draft' : 'Compose'}
        </Button>
      }
    >
      <Mailbox folder={folder} id={id} draft={written} onCompose={open} />
      <ComposePanel open={compose === 1} draft={draft} onOpen={open} onClose={close} />
    </Page>
  );
}
