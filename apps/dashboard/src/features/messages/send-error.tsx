import type { Channel } from '@jobline/contracts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCan } from '../../session/use-session.js';
import { Button, Callout, linkClasses, RequestId } from '../../ui/index.js';
import { CHANNELS } from './channels.js';
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
  const { one, many } = CHANNELS[channel];
  switch (code) {
    case 'provider_error':
      return {
        title: `The provider rejected the ${one}`,
        text: `${sentence} Your text is still here. Send it again, or queue it with retries.`,
      };
    case 'unknown_effect':
      return {
        title: `It is unknown whether the ${one} was sent`,
        text: `${sentence} Your text is still here.`,
        actions: (
          <Button size="small" onClick={onSendAgain}>
            Send again
          </Button>
        ),
      };
    case 'suppressed': {
      const canLift = can('suppressions');
      const why = `An earlier message bounced or was marked as spam, so no ${many} are sent to this recipient.`;
      return {
        title: `${to} is suppressed`,
        text: canLift ? (
          <>
            {why}{' '}
            <Link to="/email" search={{ folder: 'suppressed' }} className={inText}>
              See suppressed addresses
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
      return { title: `The ${one} was not sent`, text: sentence };
  }
}
