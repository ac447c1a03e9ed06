import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCan } from '../../session/use-session.js';
import { Button, Callout, inTextClasses, RequestId } from '../../ui/index.js';
import { CHANNELS } from './channels.js';
import type { Draft } from './draft.js';
import { LiftSuppression } from './suppressions.js';
import type { Composing } from './use-compose.js';

type SendErrorProps = Pick<Composing<Draft>, 'channel' | 'failure' | 'forgetFailure' | 'sendAgain'>;

/** Why a message was not sent, with the next step. Renders nothing if sending has not failed. */
export function SendError({ channel, failure, forgetFailure, sendAgain }: SendErrorProps) {
  const can = useCan();
  const { one, many } = CHANNELS[channel];
  if (!failure) return null;
  const { code, sentence, requestId, to } = failure;
  const callout = (title: string, text: ReactNode, actions?: ReactNode) => (
    <Callout tone="danger" role="alert" title={title} actions={actions}>
      {text}
      {requestId && <RequestId value={requestId} />}
    </Callout>
  );
  switch (code) {
    case 'provider_error':
      return callout(
        `The provider rejected the ${one}`,
        `${sentence} Your text is still here. Send it again, or queue it with retries.`,
      );
    case 'unknown_effect':
      return callout(
        `It is unknown whether the ${one} was sent`,
        `${sentence} Your text is still here.`,
        <Button size="small" onClick={sendAgain}>
          Send again
        </Button>,
      );
    case 'suppressed': {
      const canLift = can('suppressions');
      return callout(
        `${to} is suppressed`,
        <>
          An earlier message bounced or was marked as spam, so no {many} are sent to this recipient.{' '}
          {canLift ? (
            <Link to="/email" search={{ folder: 'suppressed' }} className={inTextClasses}>
              See suppressed addresses
            </Link>
          ) : (
            'An owner or admin can remove the suppression.'
          )}
        </>,
        canLift && <LiftSuppression address={to} onLifted={forgetFailure} />,
      );
    }
    case 'sender_domain_not_verified':
      return callout(
        'The sender’s domain is not verified',
        can('senders') ? (
          <>
            Nothing was sent.{' '}
            <Link to="/domains" className={inTextClasses}>
              Verify the domain
            </Link>{' '}
            or choose the default sender. Your draft stays.
          </>
        ) : (
          'Nothing was sent. Choose the default sender, or ask an owner or admin to verify the domain.'
        ),
      );
    default:
      return callout(`The ${one} was not sent`, sentence);
  }
}
