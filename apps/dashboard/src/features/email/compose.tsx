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

/** The compose panel with its notifications. Closing keeps the draft and does not stop a running request. */
export function Compose({ open, draft, onOpen, onClose }: ComposeProps) {
  const navigate = useNavigate();
  const isOpen = useRef(open);
  useEffect(() => {
    isOpen.current = open;
  });
  const report = (sent: Sent, isReset: boolean) => {
    const isWaiting = isReset && isOpen.current; // otherwise the user does something else and must not be moved
    if (sent.kind === 'sent') {
      const { id, to, provider } = sent.email;
      const show = () => void navigate({ to: '/email', search: { id } });
      toast.success(provider === SANDBOX ? 'Email recorded, not sent' : 'Email sent', {
        detail: `To ${to}`,
        ...(!isWaiting && { action: { label: 'Open the email', onAction: show } }),
      });
      if (isWaiting) show();
      return;
    }
    if (isWaiting) onClose();
    const show = () => void navigate({ to: '/job/$id', params: { id: sent.jobId } });
    toast.success('Email queued', { detail: 'A job will send it.', action: { label: 'Open the job', onAction: show } });
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
  return <ComposePanel open={open} draft={draft} onClose={onClose} onSent={report} onDiscard={discard} />;
}
