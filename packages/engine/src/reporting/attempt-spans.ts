import type { Claim } from '@jobline/db/job-transitions';
import { activeSpan, failSpan, SpanKind, traced } from '@jobline/runtime';
import type { EngineEvents } from './events.js';

/** Runs each attempt in its own span, under the span that submitted its job. */
export function inAttemptSpan<T>(claim: Claim, run: () => Promise<T>): Promise<T> {
  const attributes = {
    'jobline.job_key': claim.key,
    'jobline.org_id': claim.orgId,
    'jobline.type': claim.type,
    'jobline.queue': claim.queue,
    'jobline.attempt': claim.attempt,
  };
  return traced(`attempt ${claim.type}`, { kind: SpanKind.CONSUMER, parent: claim.traceparent, attributes }, run);
}

/** Adds its outcome to the span of each attempt. */
export function traceOutcomes(events: EngineEvents): void {
  events.on('attempt.finished', ({ outcome, errorCode }) => {
    const span = activeSpan()?.setAttribute('jobline.outcome', outcome);
    if (span && errorCode) failSpan(span, errorCode);
  });
  events.on('attempt.fenced', () => activeSpan()?.setAttribute('jobline.outcome', 'fenced'));
}
