import type { Channel } from '@jobline/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { MessageStatusBadge, RECORDED, SANDBOX } from '../../product/message/message-status.js';
import { meaningOf } from '../../product/status.js';
import { useApi } from '../../services.js';
import { useCan } from '../../session/use-session.js';
import { Callout, cx, Fact, Id, linkClasses, Time, TONE_TEXT } from '../../ui/index.js';
import { CHANNELS, type MessageDetail } from './channels.js';
import { findSuppression, LiftSuppression } from './suppressions.js';

interface MessageProps {
  channel: Channel;
  message: MessageDetail;
}

/** The status of a message and why it failed: what its reader looks for first. */
export function Outcome({ channel, message }: MessageProps) {
  const { provider, error, status } = message;
  const { one, many, variable } = CHANNELS[channel];
  const titles: Readonly<Record<string, string>> = {
    bounced: 'The recipient’s server returned the email',
    complained: 'The recipient marked the email as spam',
    provider_rejected: `The provider rejected the ${one}`,
    provider_unavailable: 'The provider did not answer',
    unknown_effect: `It is unknown whether the ${one} was sent`,
  };
  const mayBeSuppressed = status === 'bounced' || status === 'complained';
  const code = error?.code ?? status;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <MessageStatusBadge message={message} channel={channel} />
        <Time value={message.updated_at} className="text-meta text-muted" />
      </div>
      {provider === SANDBOX && (
        <Callout tone="warning">
          The sandbox recorded this {one} and did not send it. To send {many}, the operator sets {variable}.
        </Callout>
      )}
      {(error || mayBeSuppressed) && (
        <Callout tone="danger" title={titles[code] ?? code}>
          {error?.message} {code === 'unknown_effect' && 'Check with the recipient before you send it again.'}
          {mayBeSuppressed && <SuppressedSince address={message.to} />}
        </Callout>
      )}
    </div>
  );
}

/** Since when nothing is sent to an address, for those who can change it. */
function SuppressedSince({ address }: { address: string }) {
  const api = useApi();
  const can = useCan()('suppressions');
  const { data } = useQuery({
    queryKey: ['listSuppressions', 'of', address],
    queryFn: () => findSuppression(api, address),
    enabled: can,
  });
  if (!data) return null;
  return (
    <div className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <span>
        {address} is suppressed since <Time value={data.created_at} form="full" />.
      </span>
      <LiftSuppression address={address} />
    </div>
  );
}

/** The ids, times and links of a message, and the facts that only messages of its channel have. */
export function Facts({ channel, message }: MessageProps) {
  const { id, provider, provider_message_id, job_id, created_at, updated_at, template } = message;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-6 gap-y-2 text-body [&>dt]:text-meta">
      {'from' in message && <Fact name="From">{message.from ?? 'Default sender'}</Fact>}
      {'segments' in message && <Fact name="Segments">{message.segments}, as recorded</Fact>}
      {'language' in message && template !== null && <Fact name="Language">{message.language ?? '–'}</Fact>}
      {template && (
        <Fact name="Template">
          {channel === 'chat' ? (
            template
          ) : (
            <Link to="/templates" search={{ name: template }} className={linkClasses}>
              {template}
            </Link>
          )}
        </Fact>
      )}
      <Fact name="Job">
        {job_id ? (
          <Link to="/job/$id" params={{ id: job_id }} className={linkClasses}>
            <span className="font-mono text-mono">{job_id}</span>
          </Link>
        ) : (
          'Sent directly, or its job was deleted'
        )}
      </Fact>
      <Fact name="Provider">{provider}</Fact>
      <Fact name="Provider’s message ID">
        {provider_message_id ? <Id value={provider_message_id} what="provider’s message ID" keep={0} /> : 'None'}
      </Fact>
      <Fact name="Message ID">
        <Id value={id} what="message ID" keep={0} />
      </Fact>
      <Fact name="Created">
        <Time value={created_at} form="full" className="text-left" />
      </Fact>
      <Fact name="Changed">
        <Time value={updated_at} form="full" className="text-left" />
      </Fact>
    </dl>
  );
}

/** The steps of a message: the service's own steps, the provider's reports in the order of arrival, and the expected steps. */
export function Steps({ message }: { message: MessageDetail }) {
  return (
    <ol aria-label="Delivery" className="flex flex-col">
      {stepsOf(message).map(({ word, icon: Icon, tone, at, remark }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps are only appended
        <li key={i} className="group/step relative flex gap-3 pb-4 last:pb-0">
          <span
            aria-hidden="true"
            className="absolute top-5 bottom-0 left-[7.5px] w-px bg-line group-last/step:hidden"
          />
          <Icon size={16} className={cx('mt-0.5 shrink-0', at === null ? 'text-muted opacity-60' : TONE_TEXT[tone])} />
          <div className="flex min-w-0 flex-1 flex-wrap items-baseline justify-between gap-x-4">
            <span className={cx('text-body', at === null ? 'text-muted' : 'font-medium')}>
              {word}
              {at === null && ', pending'}
            </span>
            {at !== null && <Time value={at} className="text-meta text-muted" />}
            {remark && <span className="w-full text-meta text-muted wrap-anywhere">{remark}</span>}
          </div>
        </li>
      ))}
    </ol>
  );
}

function stepsOf({ provider, status, created_at, updated_at, events }: MessageDetail) {
  const steps = [step('queued', created_at)];
  if (provider === SANDBOX && status === 'sent') return [...steps, { ...step('sent', updated_at), ...RECORDED }];
  for (const report of events) {
    const remark = [report.event, report.reason].filter(Boolean).join(': ');
    steps.push(step(report.status ?? report.event, report.occurred_at ?? report.received_at, remark));
  }
  const isReported = events.some((event) => event.status === status);
  if (status !== 'queued' && !isReported) steps.push(step(status, updated_at));
  if (status === 'queued') steps.push(step('sent', null));
  if (status === 'queued' || status === 'sent') steps.push(step('delivered', null));
  return steps;
}

/** `at`: null if the step is not reached. `remark`: the provider's name for its report, and its reason. */
function step(kind: string, at: string | null, remark?: string) {
  const { word, icon, tone } = meaningOf('message', kind);
  return { word, icon, tone, at, remark };
}
