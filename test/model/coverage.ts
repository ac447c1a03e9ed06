import { CHANGED, ENDINGS, FATES } from './program.js';

/** Events that every few hundred interleavings must produce. If one is missing, the model does not check it. */
export const EXPECTED_SOON: readonly string[] = [
  ...[
    'submit',
    'deliver',
    'finish',
    'cancel',
    'retry',
    'change',
    'redact',
    'due',
    'fate',
    'lose-entry',
    'crash-count',
  ].map((kind) => `action: ${kind}`),
  ...['time', 'sweep', 'dispatch', 'settle', 'fail-waiting', 'check-runs'].map((kind) => `upkeep: ${kind}`),
  ...ENDINGS.map((ending) => `handler: ${ending}`),
  ...CHANGED.map((what) => `changed: ${what}`),
  ...FATES.map((fate) => `entry ${fate}`),
  ...['claimed', 'done', 'failed', 'retry', 'released', 'retried', 'changed', 'canceled at once', 'waited in vain'].map(
    (how) => `log: ${how}`,
  ),
  ...['running', 'gone', 'delay'].map((kind) => `delivery: ${kind}`),
  'delivered a ticket',
  'started several jobs of a ticket',
  'redacted',
  'submitted: new',
  'submitted: waits until done',
  'submitted: waits until ended',
  'submitted: repeated',
  'answer: conflict',
  'canceled: processing',
  'delivered again',
  'unresponsive handler',
];

/** All events, including rare ones. */
export const EXPECTED: readonly string[] = [
  ...EXPECTED_SOON,
  ...['freeze', 'thaw', 'stop', 'kill', 'wipe', 'redis', 'flush-logs', 'retain', 'lose-answers'].map(
    (kind) => `upkeep: ${kind}`,
  ),
  ...['canceled', 'lost', 'taken over', 'revived'].map((how) => `log: ${how}`),
  'answer: idempotency_key_reused',
  'answer: none',
  'answer lost',
  'dispatched',
  'expired',
  'fenced',
  're-enqueued',
  'lease lost',
  'ran isolated',
  'released as unknown',
  'ended as canceled',
  'queue: late answer ignored',
];
