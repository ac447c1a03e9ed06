import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  NodeTracerProvider,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import { beforeAll, expect, it } from 'vitest';
import { createSpans, resampled, startSpan } from './tracing.js';

/** The operator's sampler. */
let root: Sampler;

beforeAll(() => {
  const sampler = new ParentBasedSampler({
    root: { shouldSample: (...args) => root.shouldSample(...args), toString: () => 'the sampler of the test' },
  });
  new NodeTracerProvider({ sampler }).register();
  createSpans();
});

const callerWith = (flag: '00' | '01') => `00-00000000000000000000000000000001-b7ad6b7169203331-${flag}`;
const isStored = (parent: string | null) => startSpan('GET', { parent }).isRecording();

it('the sampler of the operator decides which spans are stored, and not the flag of the caller', () => {
  root = new AlwaysOffSampler();
  expect(isStored(callerWith('01'))).toBe(true);
  expect(isStored(resampled(callerWith('01')))).toBe(false);

  root = new AlwaysOnSampler();
  expect(isStored(resampled(callerWith('00')))).toBe(true);
});

it('a caller cannot choose a trace id that is always stored', () => {
  root = new TraceIdRatioBasedSampler(0.5);
  const stored = Array.from({ length: 200 }, () => isStored(resampled(callerWith('01')))).filter(Boolean).length;
  expect(stored).toBeGreaterThan(0);
  expect(stored).toBeLessThan(200);
});

it('the span of a request stays a child of the span of its caller', () => {
  root = new AlwaysOnSampler();
  expect(startSpan('GET', { parent: resampled(callerWith('00')) }).spanContext().traceId).toBe(
    '00000000000000000000000000000001',
  );
  expect(resampled(null)).toBeNull();
});
