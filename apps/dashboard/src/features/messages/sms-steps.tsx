import type { LucideIcon } from 'lucide-react';
import { RECORDED, SANDBOX } from '../../product/message/message-status.js';
import { meaningOf } from '../../product/status.js';
import { cx, Time, TONE_TEXT, type Tone } from '../../ui/index.js';
import type { TextDetail } from './use-texts.js';

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

/**
 * The steps of an SMS: the service's own steps, the provider's reports in the order of arrival, and the expected steps.
 */
export function ReportSteps({ text }: { text: TextDetail }) {
  return (
    <ol className="flex flex-col">
      {stepsOf(text).map(({ key, word, icon: Icon, tone, at, isReached, remark }) => (
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

function stepsOf(text: TextDetail): Step[] {
  const { status, provider, created_at, updated_at, events } = text;
  const step = (kind: string, at: string | null, isReached = true): Step => {
    const { word, icon, tone } = meaningOf('message', kind);
    return { key: kind, word, icon, tone, at, isReached };
  };
  const steps = [step('queued', created_at)];
  if (provider === SANDBOX && status === 'sent') {
    return [...steps, { ...RECORDED, key: 'recorded', at: updated_at, isReached: true }];
  }
  events.forEach((event, i) => {
    const at = event.occurred_at ?? event.received_at;
    const remark = [event.event, event.reason].filter(Boolean).join(': ');
    steps.push({ ...step(event.status ?? event.event, at), key: `event ${i}`, remark });
  });
  const isReported = events.some((event) => event.status === status);
  if (status !== 'queued' && !isReported) steps.push(step(status, updated_at));
  if (status === 'queued') steps.push(step('sent', null, false));
  if (status === 'queued' || status === 'sent') steps.push(step('delivered', null, false));
  return steps;
}
