import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import { Page } from '../../shell/page.js';
import { Button } from '../../ui/index.js';
import { Compose } from './compose.js';
import { isBlank, useEmailDraft } from './draft.js';
import { Mailbox } from './mailbox.js';

const route = getRouteApi('/app/email');

/** Did my mail arrive? */
export function EmailPage() {
  const { folder, id, compose } = route.useSearch();
  const navigate = useNavigate();
  const draft = useEmailDraft();
  const written = isBlank(draft.values) ? null : draft.values;
  const place = { ...(folder && { folder }), ...(id && { id }) };
  const open = () => void navigate({ to: '/email', search: { ...place, compose: 1 } });
  const close = () => void navigate({ to: '/email', search: place });
  useShortcut({ keys: 'n', label: 'Compose', group: 'Email', run: open });
  return (
    <Page
      title="Email"
      actions={
        <Button variant="primary" onClick={open}>
          {written ? 'Go on with the draft' : 'Compose'}
        </Button>
      }
    >
      <Mailbox folder={folder} id={id} draft={written} onCompose={open} />
      <Compose open={compose === 1} draft={draft} onOpen={open} onClose={close} />
    </Page>
  );
}
