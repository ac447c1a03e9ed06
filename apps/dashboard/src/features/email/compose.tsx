import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { DraftForm } from '../../drafts/use-draft-form.js';
import { SANDBOX } from '../../product/message/sandbox.js';
import { toast } from '../../ui/index.js';
import { ComposePanel } from './compose-panel.js';
import type { EmailDraft } from './draft.js';
import type { Sent } from './use-send.js';

export interface ComposeProps {
  open: boolean;
  draft: DraftForm<EmailDraft>;
  onOpen: () => void;
  onClose: () => void;
}

/** The panel for writing. Closing keeps the draft, and stops no sending; only sending and discarding end it. */
export function Compose({ open, draft, onOpen, onClose }: ComposeProps) {
  const navigate = useNavigate();
  const isOpen = useRef(open);
  useEffect(() => {
    isOpen.current = open;
  });
  const tell = (sent: Sent, isOver: boolean) => {
    const isAwaited = isOver && isOpen.current; // else its writer is at something else, and is left there
    if (sent.kind === 'sent') {
      const { id, to, provider } = sent.email;
      const show = () => void navigate({ to: '/email', search: { id } });
      toast.success(provider === SANDBOX ? 'Email recorded, not sent' : 'Email sent', {
        detail: `To ${to}`,
        ...(!isAwaited && { action: { label: 'Open the email', onAction: show } }),
      });
      if (isAwaited) show();
      return;
    }
    if (isAwaited) onClose();
    const show = () => void navigate({ to: '/job/$id', params: { id: sent.jobId } });
    toast.success('Email queued', { detail: 'A job sends it.', action: { label: 'Open the job', onAction: show } });
  };
  const discard = () => {
    const restore = draft.discard();
    onClose();
    const undo = () => {
      restore();
      onOpen();
    };
    toast.info('Draft discarded', { action: { label: 'Undo', onAction: undo } });
  };
  return <ComposePanel open={open} draft={draft} onClose={onClose} onSent={tell} onDiscard={discard} />;
}
