import type { LucideIcon } from 'lucide-react';
import { Fragment } from 'react';
import { RECORDED, SANDBOX } from '../../product/message/message-status.js';
import { meaningOf } from '../../product/status.js';
import { cx, Time, TONE_TEXT, type Tone } from '../../ui/index.js';
import type { ChatMessageDetail, EmailDetail, SmsDetail } from './model.js';

interface Step {
  key: string;
  word: string;
  icon: LucideIcon;
  tone: Tone;
  /** Null if the step is not reached or its time is not known. */
  at: string | null;
  isReached: boolean;
  /** The text of the provider's report. */
  remark?: string | undefined;
}

/** The delivery steps of an email: queued, sent, delivered, or the step at which it failed. */
export function EmailSteps({ email }: { email: EmailDetail }) {
  return (
    <ol aria-label="Delivery" className="my-4 flex flex-wrap items-center gap-x-2 gap-y-2">
      {stepsOfEmail(email).map(({ key, word, icon: Icon, tone, at, isReached }, i) => (
        <Fragment key={key}>
          {i > 0 && <li aria-hidden="true" className={cx('h-px w-6 sm:w-10', isReached ? 'bg-field' : 'bg-line')} />}
          <li className={cx('flex items-center gap-2', isReached ? TONE_TEXT[tone] : 'text-muted')}>
            <Icon aria-hidden="true" size={16} className={cx('shrink-0', !isReached && 'opacity-60')} />
            <span className="flex flex-col">
              <span className={cx('text-mono', isReached && 'font-medium')}>
                {word}
                {!isReached && <span className="sr-only">: not yet</span>}
              </span>
              {at !== null && <Time value={at} className="text-left text-meta text-muted" />}
            </span>
          </li>
        </Fragment>
      ))}
    </ol>
  );
}

/**
 * The steps of an SMS or a chat message: the service's own steps, the provider's reports in the order of arrival, and the expected steps.
 */
export function ReportSteps({ message }: { message: SmsDetail | ChatMessageDetail }) {
  return (
    <ol className="flex flex-col">
      {reportedSteps(message).map(({ key, word, icon: Icon, tone, at, isReached, remark }) => (
        <li key={key} className="group/step relative flex gap-3 pb-4 last:pb-0">
          <span
            aria-hidden="true"
            className="absolute top-5 bottom-0 left-[7.5px] w-px bg-line group-last/step:hidden"
          />
          <Icon
            aria-hidden="true"
            size={16}
            className={cx('mt-0.5 shrink-0', isReached ? TONE_TEXT[tone] : 'text-muted opacity-60')}
          />
          <div className="flex min-w-0 flex-1 flex-wrap items-baseline justify-between gap-x-4">
            <span className={cx('text-body', isReached ? 'font-medium' : 'text-muted')}>
              {word}
              {!isReached && ', pending'}
            </span>
            {at !== null && <Time value={at} className="text-meta text-muted" />}
            {remark && <span className="w-full text-meta text-muted wrap-anywhere">{remark}</span>}
          </div>
        </li>
      ))}
    </ol>
  );
}

function stepsOfEmail(email: EmailDetail): Step[] {
  const { status, created_at, updated_at, events, provider_message_id } = email;
  const queued = reached('queued', created_at);
  const step = (kind: EmailDetail['status']) => {
    const report = events.find((event) => event.status === kind);
    return reached(kind, report ? timeOf(report) : kind === status ? updated_at : null);
  };
  if (isRecorded(email)) return [queued, recorded(updated_at)];
  switch (status) {
    case 'queued':
      return [queued, expected('sent'), expected('delivered')];
    case 'sent':
      return [queued, step('sent'), expected('delivered')];
    case 'delivered':
      return [queued, step('sent'), step('delivered')];
    case 'failed':
      return [queued, ...(provider_message_id === null ? [] : [step('sent')]), step('failed')];
    case 'bounced':
      return [queued, step('sent'), step('bounced')];
    case 'complained':
      return [queued, step('sent'), step('delivered'), step('complained')];
  }
}

function reportedSteps(message: SmsDetail | ChatMessageDetail): Step[] {
  const { status, created_at, updated_at, events } = message;
  const steps = [reached('queued', created_at)];
  if (isRecorded(message)) return [...steps, recorded(updated_at)];
  events.forEach((event, i) => {
    const remark = [event.event, event.reason].filter(Boolean).join(': ');
    steps.push({ ...reached(event.status ?? event.event, timeOf(event)), key: `event ${i}`, remark });
  });
  const isReported = events.some((event) => event.status === status);
  if (status !== 'queued' && !isReported) steps.push(reached(status, updated_at));
  if (status === 'queued') steps.push(expected('sent'));
  if (status === 'queued' || status === 'sent') steps.push(expected('delivered'));
  return steps;
}

function reached(kind: string, at: string | null): Step {
  const { word, icon, tone } = meaningOf('message', kind);
  return { key: kind, word, icon, tone, at, isReached: true };
}

function expected(kind: string): Step {
  return { ...reached(kind, null), isReached: false };
}

function recorded(at: string): Step {
  return { ...RECORDED, key: 'recorded', at, isReached: true };
}

function isRecorded({ provider, status }: EmailDetail | SmsDetail | ChatMessageDetail): boolean {
  return provider === SANDBOX && status === 'sent';
}

function timeOf({ occurred_at, received_at }: EmailDetail['events'][number] | SmsDetail['events'][number]): string {
  return occurred_at ?? received_at;
}
