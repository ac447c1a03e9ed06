import { JoblineError } from '@jobline/client';
import { Link } from '@tanstack/react-router';
import { formatCount } from '../../format/index.js';
import { RECORDED, SANDBOX } from '../../product/message/message-status.js';
import { useCan } from '../../session/use-session.js';
import { Button, Callout, linkClasses, RequestId } from '../../ui/index.js';
import type { Sent } from './use-send-sms.js';

export interface OutcomeProps {
  outcome: { sent: Sent; to: string } | { error: unknown; sentence: string | null } | null;
  onSendAnyway: () => void;
}

/** The result of the last request, below the form. */
export function Outcome({ outcome, onSendAnyway }: OutcomeProps) {
  if (!outcome) return null;
  if ('sent' in outcome) return <Accepted {...outcome} />;
  const { error, sentence } = outcome;
  if (sentence === null) return null; // the fields show the errors
  return <Rejected error={error} sentence={sentence} onSendAnyway={onSendAnyway} />;
}

function Accepted({ sent, to }: { sent: Sent; to: string }) {
  if (sent.text === undefined) {
    return (
      <Callout role="status" title={`Queued for ${to}`}>
        It appears in the history when a worker has started it.{' '}
        <Link to="/job/$id" params={{ id: sent.jobId }} className={linkClasses}>
          Follow the job
        </Link>
      </Callout>
    );
  }
  const { id, provider, segments } = sent.text;
  const isSandbox = provider === SANDBOX;
  return (
    <Callout
      role="status"
      tone={isSandbox ? 'warning' : 'info'}
      title={`${isSandbox ? RECORDED.word : 'Sent'}: ${to}, ${formatCount(segments, 'segment')}`}
    >
      {isSandbox && 'No SMS provider is configured, so the sandbox recorded the SMS. '}
      <Link from="/sms" to="/sms" search={(before) => ({ ...before, id })} resetScroll={false} className={linkClasses}>
        Delivery report
      </Link>
    </Callout>
  );
}

interface RejectedProps {
  error: unknown;
  sentence: string;
  onSendAnyway: () => void;
}

function Rejected({ error, sentence, onSendAnyway }: RejectedProps) {
  const can = useCan();
  const { code = '', requestId } = error instanceof JoblineError ? error : {};
  return (
    <Callout
      tone="danger"
      role="alert"
      title={TITLES[code] ?? 'Not sent'}
      actions={
        code === 'unknown_effect' && (
          <Button size="small" onClick={onSendAnyway}>
            Send again
          </Button>
        )
      }
    >
      {sentence} {code === 'provider_error' && 'Your text is still here. Send it again, or queue it with retries.'}
      {code === 'suppressed' &&
        (can('suppressions') ? (
          <Link to="/email" search={{ folder: 'suppressed' }} className={linkClasses}>
            See suppressed recipients
          </Link>
        ) : (
          'An owner or admin can remove the suppression.'
        ))}
      {requestId && <RequestId value={requestId} />}
    </Callout>
  );
}

const TITLES: Readonly<Record<string, string>> = {
  provider_error: 'The provider rejected the SMS',
  unknown_effect: 'It is unknown whether the SMS was sent',
  suppressed: 'The recipient is suppressed',
  sender_not_registered: 'The sender is not registered',
  rate_limited: 'Too many requests',
};
