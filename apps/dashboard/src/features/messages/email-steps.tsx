import type { LucideIcon } from 'lucide-react';
import { Fragment } from 'react';
import { RECORDED, SANDBOX } from '../../product/message/message-status.js';
import { meaningOf } from '../../product/status.js';
import { cx, Time, TONE_TEXT, type Tone } from '../../ui/index.js';
import type { EmailDetail } from './use-emails.js';

interface Step {
  word: string;
  icon: LucideIcon;
  tone: Tone;
  /** Null if the time is not known. */
  at: string | null;
  isReached: boolean;
}

/** The delivery steps of an email: queued, sent, delivered, or the step at which it failed. */
export function DeliverySteps({ email }: { email: EmailDetail }) {
  return (
    <ol aria-label="Delivery" className="my-4 flex flex-wrap items-center gap-x-2 gap-y-2">
      {stepsOf(email).map(({ word, icon: Icon, tone, at, isReached }, i) => (
        <Fragment key={word}>
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

type Status = EmailDetail['status'];

function stepsOf(email: EmailDetail): Step[] {
  const { status, provider, created_at, updated_at, events, provider_message_id } = email;
  const isEnd = (kind: Status) => kind === status && kind !== 'queued';
  const step = (kind: Status, isReached: boolean): Step => {
    const { word, icon, tone } = meaningOf('message', kind);
    const reported = events.find((event) => event.status === kind);
    const at = reported ? (reported.occurred_at ?? reported.received_at) : isEnd(kind) ? updated_at : null;
    return { word, icon, tone, isReached, at: kind === 'queued' ? created_at : isReached ? at : null };
  };
  const queued = step('queued', true);
  if (provider === SANDBOX && status === 'sent') {
    return [queued, { ...RECORDED, at: updated_at, isReached: true }];
  }
  switch (status) {
    case 'queued':
      return [queued, step('sent', false), step('delivered', false)];
    case 'sent':
      return [queued, step('sent', true), step('delivered', false)];
    case 'delivered':
      return [queued, step('sent', true), step('delivered', true)];
    case 'failed':
      return [queued, ...(provider_message_id === null ? [] : [step('sent', true)]), step('failed', true)];
    case 'bounced':
      return [queued, step('sent', true), step('bounced', true)];
    case 'complained':
      return [queued, step('sent', true), step('delivered', true), step('complained', true)];
  }
}
