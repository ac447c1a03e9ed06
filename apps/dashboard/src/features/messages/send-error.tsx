import type { Channel } from '@jobline/contracts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCan } from '../../session/use-session.js';
import { Button, Callout, linkClasses, RequestId } from '../../ui/index.js';
import type { Failure } from './use-compose.js';

/** A link inside a text is underlined, so that it does not depend on color alone. */
const inText = `${linkClasses} underline`;

interface SendErrorProps {
  channel: Channel;
  failure: Failure;
  /** Sends a new message, although the first may have been sent. */
  onSendAgain: () => void;
  /** A button that removes the suppression of the recipient, for users who may do it. */
  lift?: ReactNode;
}

/** Why a message was not sent, with the next step. */
export function SendError(props: SendErrorProps) {
  const { requestId } = props.failure;
  const { title, text, actions } = useMessage(props);
  return (
    <Callout tone="danger" role="alert" title={title} actions={actions}>
      {text}
      {requestId && <RequestId value={requestId} />}
    </Callout>
  );
}

interface Message {
  title: string;
  text: ReactNode;
  actions?: ReactNode;
}

function useMessage({ channel, failure, onSendAgain, lift }: SendErrorProps): Message {
  const { code, sentence, to } = failure;
  const can = useCan();
  const isEmail = channel === 'email';
  switch (code) {
    case 'provider_error':
      return {
        title: `The provider rejected the ${isEmail ? 'email' : 'SMS'}`,
        text: `${sentence} Your text is still here. Send it again, or queue it with retries.`,
      };
    case 'unknown_effect':
      return {
        title: `It is unknown whether the ${isEmail ? 'email' : 'SMS'} was sent`,
        text: isEmail ? `${sentence} Your text is still here.` : sentence,
        actions: (
          <Button size="small" onClick={onSendAgain}>
            Send again
          </Button>
        ),
      };
    case 'suppressed': {
      const canLift = can('suppressions');
      const why = isEmail
        ? 'An earlier email bounced or was marked as spam, so no emails are sent to this address.'
        : sentence;
      return {
        title: isEmail ? `${to} is suppressed` : 'The recipient is suppressed',
        text: canLift ? (
          <>
            {why}{' '}
            <Link to="/email" search={{ folder: 'suppressed' }} className={isEmail ? inText : linkClasses}>
              {isEmail ? 'See suppressed addresses' : 'See suppressed recipients'}
            </Link>
          </>
        ) : (
          `${why} An owner or admin can remove the suppression.`
        ),
        actions: canLift && lift,
      };
    }
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
    default:
      return { title: isEmail ? 'The email was not sent' : (SMS_TITLES[code ?? ''] ?? 'Not sent'), text: sentence };
  }
}

const SMS_TITLES: Readonly<Record<string, string>> = {
  sender_not_registered: 'The sender is not registered',
  rate_limited: 'Too many requests',
};
