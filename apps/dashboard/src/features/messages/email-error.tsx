import type { JoblineErrorCode } from '@jobline/client';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useCan } from '../../session/use-session.js';
import { Button, Callout, linkClasses, RequestId } from '../../ui/index.js';
import { LiftSuppression } from './suppressions.js';

/** A link inside a text is underlined, so that it does not depend on color alone. */
const inText = `${linkClasses} underline`;

/** Why an email was not sent, if the reason does not belong to a field. */
export interface SendFailure {
  /** Null if there was no response from the API. */
  code: JoblineErrorCode | null;
  message: string;
  requestId: string | undefined;
  /** The recipient. */
  to: string;
}

interface SendErrorProps {
  failure: SendFailure;
  /** The suppression of the recipient was removed. */
  onUnsuppressed: () => void;
  /** Sends a new message, although the first may have been sent. */
  onSendAgain: () => void;
}

/** The error above the form, with its cause and the next step. */
export function SendError({ failure, onUnsuppressed, onSendAgain }: SendErrorProps) {
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scroll to each new failure
  useEffect(() => {
    // The braces keep the promise that newer browsers return from becoming the cleanup function.
    box.current?.scrollIntoView({ block: 'nearest' });
  }, [failure]);
  const { title, text, actions } = useMessage(failure, onUnsuppressed, onSendAgain);
  return (
    <div ref={box} className="scroll-mt-4">
      <Callout tone="danger" role="alert" title={title} actions={actions}>
        {text}
        {failure.requestId && <RequestId value={failure.requestId} />}
      </Callout>
    </div>
  );
}

interface Message {
  title: string;
  text: ReactNode;
  actions?: ReactNode;
}

function useMessage({ code, message, to }: SendFailure, onUnsuppressed: () => void, onSendAgain: () => void): Message {
  const can = useCan();
  switch (code) {
    case 'suppressed':
      return can('suppressions')
        ? {
            title: `${to} is suppressed`,
            text: (
              <>
                An earlier email bounced or was marked as spam, so no emails are sent to this address.{' '}
                <Link to="/email" search={{ folder: 'suppressed' }} className={inText}>
                  See suppressed addresses
                </Link>
              </>
            ),
            actions: <LiftSuppression address={to} onLifted={onUnsuppressed} />,
          }
        : {
            title: `${to} is suppressed`,
            text: 'An earlier email bounced or was marked as spam, so no emails are sent to this address. An owner or admin can remove the suppression.',
          };
    case 'sender_domain_not_verified':
      return {
        title: 'The sender’s domain is not verified',
        text: can('senders') ? (
          <>
            Nothing was sent.{' '}
            <Link to="/domains" className={inText}>
              Verify the domain
            </Link>{' '}
            or choose the default sender. Your draft stays.
          </>
        ) : (
          'Nothing was sent. Choose the default sender, or ask an owner or admin to verify the domain.'
        ),
      };
    case 'provider_error':
      return {
        title: 'The provider rejected the email',
        text: `${message} Your text is still here. Send it again, or queue it with retries.`,
      };
    case 'unknown_effect':
      return {
        title: 'It is unknown whether the email was sent',
        text: `${message} Your text is still here.`,
        actions: (
          <Button size="small" onClick={onSendAgain}>
            Send again
          </Button>
        ),
      };
    default:
      return { title: 'The email was not sent', text: message };
  }
}
