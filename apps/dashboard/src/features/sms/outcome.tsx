import { Link } from '@tanstack/react-router';
import { ApiError } from '../../api/api-error.js';
import { formatCount } from '../../format/index.js';
import { RECORDED, SANDBOX } from '../../product/message/sandbox.js';
import { useCan } from '../../session/use-session.js';
import { Button, Callout, linkClasses, RequestId } from '../../ui/index.js';
import type { Sent } from './use-send.js';

export interface OutcomeProps {
  outcome: { sent: Sent; to: string } | { error: unknown; sentence: string | null } | null;
  onSendAnyway: () => void;
}

/** What became of the last attempt, under the form that made it. */
export function Outcome({ outcome, onSendAnyway }: OutcomeProps) {
  if (!outcome) return null;
  if ('sent' in outcome) return <Taken {...outcome} />;
  const { error, sentence } = outcome;
  if (sentence === null) return null; // the fields say it
  return <Refused error={error} sentence={sentence} onSendAnyway={onSendAnyway} />;
}

function Taken({ sent, to }: { sent: Sent; to: string }) {
  if (sent.text === undefined) {
    return (
      <Callout role="status" title={`Queued for ${to}`}>
        The history has it once a worker has taken it.{' '}
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
      {isSandbox && 'No SMS provider is set up, so the sandbox kept it. '}
      <Link from="/sms" to="/sms" search={(before) => ({ ...before, id })} resetScroll={false} className={linkClasses}>
        Delivery report
      </Link>
    </Callout>
  );
}

interface RefusedProps {
  error: unknown;
  sentence: string;
  onSendAnyway: () => void;
}

function Refused({ error, sentence, onSendAnyway }: RefusedProps) {
  const can = useCan();
  const { code = '', requestId = null } = error instanceof ApiError ? error : {};
  return (
    <Callout
      tone="danger"
      role="alert"
      title={TITLES[code] ?? 'Not sent'}
      actions={
        code === 'unknown_effect' && (
          <Button size="small" onClick={onSendAnyway}>
            Send another one
          </Button>
        )
      }
    >
      {sentence} {code === 'provider_error' && 'What you wrote is still here; try again, or queue it with retries.'}
      {code === 'suppressed' &&
        (can('suppressions') ? (
          <Link to="/email" search={{ folder: 'suppressed' }} className={linkClasses}>
            See who is sent nothing
          </Link>
        ) : (
          'An owner or admin can let them be written to again.'
        ))}
      {requestId && <RequestId value={requestId} />}
    </Callout>
  );
}

const TITLES: Readonly<Record<string, string>> = {
  provider_error: 'The provider did not take it',
  unknown_effect: 'Nobody knows whether it was sent',
  suppressed: 'This recipient is sent nothing',
  sender_not_registered: 'The sender is not registered',
  rate_limited: 'Too many at once',
};
