import type { Claim } from '@jobline/db/job-transitions';
import { activate, activeSpan, errorCodeOf, failSpan, SpanKind, startSpan } from '@jobline/runtime';
import type { EngineEvents } from './events.js';

/** Starts an attempt in a span of its own, under the span that submitted its job. The span ends when the attempt is recorded. */
export function inAttemptSpan<Run extends { recorded: Promise<void> }>(claim: Claim, start: () => Run): Run {
  const attributes = {
    'jobline.job_key': claim.key,
    'jobline.org_id': claim.orgId,
    'jobline.type': claim.type,
    'jobline.queue': claim.queue,
    'jobline.attempt': claim.attempt,
  };
  const span = startSpan(`attempt ${claim.type}`, { kind: SpanKind.CONSUMER, parent: claim.traceparent, attributes });
  const run = activate(span, start);
  void run.recorded.then(() => span.end());
  return run;
}

/** Adds its outcome to the span of each attempt. */
export function traceOutcomes(events: EngineEvents): void {
  events.on('attempt.finished', ({ outcome, errorCode }) => {
    const span = activeSpan()?.setAttribute('jobline.outcome', outcome);
    if (span && errorCode) failSpan(span, errorCode);
  });
  events.on('attempt.fenced', () => activeSpan()?.setAttribute('jobline.outcome', 'fenced'));
  events.on('step.failed', ({ step, error }) => {
    const span = step === 'run' ? activeSpan() : undefined;
    if (span) failSpan(span, errorCodeOf(error));
  });
}
