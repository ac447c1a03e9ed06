import { useNavigate } from '@tanstack/react-router';
import type { Draft } from '../../drafts.js';
import { SANDBOX, toast } from '../../ui/index.js';
import { ComposePanel } from './compose-panel.js';
import type { EmailDraft } from './draft.js';
import type { Sent } from './use-send.js';

export interface ComposeProps {
  open: boolean;
  draft: Draft<EmailDraft>;
  onOpen: () => void;
  onClose: () => void;
}

/** The panel for writing. Closing keeps the draft; only sending and discarding end it. */
export function Compose({ open, draft, onOpen, onClose }: ComposeProps) {
  const navigate = useNavigate();
  const finish = (sent: Sent) => {
    draft.clear();
    if (sent.kind === 'sent') {
      const isRecorded = sent.email.provider === SANDBOX;
      toast.success(isRecorded ? 'Email recorded, not sent' : 'Email sent', { detail: `To ${sent.email.to}` });
      void navigate({ to: '/email', search: { id: sent.email.id } });
      return;
    }
    onClose();
    const open = () => void navigate({ to: '/job/$id', params: { id: sent.jobId } });
    toast.success('Email queued', { detail: 'A job sends it.', action: { label: 'Open the job', onAction: open } });
  };
  const discard = (written: EmailDraft) => {
    draft.clear();
    onClose();
    const undo = () => {
      draft.set(written);
      onOpen();
    };
    toast.info('Draft discarded', { action: { label: 'Undo', onAction: undo } });
  };
  if (!open) return null;
  return <ComposePanel draft={draft} onClose={onClose} onSent={finish} onDiscard={discard} />;
}
