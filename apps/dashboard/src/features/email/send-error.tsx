import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import type { FailureCode } from '../../api/api-error.js';
import { useCan } from '../../session/use-session.js';
import { Button, Callout, linkClasses, RequestId } from '../../ui/index.js';
import { LiftSuppression } from './lift-suppression.js';

/** In running text a link needs more than its colour. */
const inText = `${linkClasses} underline`;

/** Why it was not sent, where that is no field's own fault. */
export interface Refusal {
  /** Null: no answer of the API's. */
  code: FailureCode | null;
  message: string;
  requestId: string | null;
  /** Whom it was for. */
  to: string;
}

export interface RefusedProps {
  refusal: Refusal;
  /** What stood in the way is gone. */
  onLifted: () => void;
  /** As a new message, although the first may have been sent. */
  onSendAgain: () => void;
}

/** The sentence above the form: the cause, and what to do next. */
export function Refused({ refusal, onLifted, onSendAgain }: RefusedProps) {
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each refusal is shown
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' }); // a promise in newer browsers: no cleanup of ours
  }, [refusal]);
  const { title, text, actions } = useWords(refusal, onLifted, onSendAgain);
  return (
    <div ref={box} className="scroll-mt-4">
      <Callout tone="danger" role="alert" title={title} actions={actions}>
        {text}
        {refusal.requestId !== null && <RequestId value={refusal.requestId} />}
      </Callout>
    </div>
  );
}

interface Words {
  title: string;
  text: ReactNode;
  actions?: ReactNode;
}

function useWords({ code, message, to }: Refusal, onLifted: () => void, onSendAgain: () => void): Words {
  const can = useCan();
  switch (code) {
    case 'suppressed':
      return can('suppressions')
        ? {
            title: `${to} is suppressed`,
            text: (
              <>
                An earlier email bounced or was marked as spam, so nothing is sent there.{' '}
                <Link to="/email" search={{ folder: 'suppressed' }} className={inText}>
                  See who is suppressed
                </Link>
              </>
            ),
            actions: <LiftSuppression address={to} onLifted={onLifted} />,
          }
        : {
            title: `${to} is suppressed`,
            text: 'An earlier email bounced or was marked as spam, so nothing is sent there. An owner or admin can remove the suppression.',
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
        title: 'The provider did not take it',
        text: `${message} Everything you wrote is still here: send it again, or queue it with retries.`,
      };
    case 'unknown_effect':
      return {
        title: 'Nobody knows whether it was sent',
        text: `${message} Everything you wrote is still here.`,
        actions: (
          <Button size="small" onClick={onSendAgain}>
            Send it anew
          </Button>
        ),
      };
    default:
      return { title: 'It was not sent', text: message };
  }
}
