import { inspect } from 'node:util';
import { ProviderFailure, type ProviderFailureKind } from '@jobline/handlers';
import type { ProviderContext } from '@jobline/providers';
import type { Logger } from '@jobline/runtime';
import { afterEach, describe, expect, test } from 'vitest';
import { until } from '../harness/index.js';
import { closeAll } from './receivers.js';

/** The ways in which a provider can fail a request. */
export type Trouble =
  | 'rejects'
  | 'fails'
  /** Asks for a wait of 7 s. */
  | 'throttles'
  | 'does not answer'
  | 'closes the connection'
  | 'sends half an answer'
  | 'is unreachable';

/** An adapter that is configured to call a local server instead of its provider. */
export interface Rehearsal {
  /** Opens the adapter and sends its one request. */
  send(signal: AbortSignal, context: ProviderContext): Promise<unknown>;
  /** Sets the behavior of the server from now on. */
  meet(trouble: Trouble): unknown;
  /** The number of requests that the server has received. */
  received(): number;
  /** Texts that must not appear in a failure or a log: keys and message contents. */
  secrets: readonly string[];
  /** The message of the server when it rejects a request. */
  rejection: string;
}

/** The kind of failure that each trouble must cause in every adapter. An adapter that cannot have a trouble omits it. */
const FAILURE_KINDS: Record<Trouble, ProviderFailureKind> = {
  rejects: 'rejected',
  fails: 'transient',
  throttles: 'throttled',
  'does not answer': 'ambiguous',
  'closes the connection': 'ambiguous',
  'sends half an answer': 'ambiguous',
  'is unreachable': 'transient',
};

/** The longest timeout that every adapter supports. */
const LONG_TIMEOUT_MS = 55_000;
const SHORT_TIMEOUT_MS = 300;

/**
 * The tests that every adapter of a real provider must pass. `rehearse` creates a new server and an adapter with this
 * timeout.
 */
export function failsAsAgreed(
  name: string,
  rehearse: (timeoutMs: number) => Promise<Rehearsal>,
  { without = [] }: { without?: readonly Trouble[] } = {},
): void {
  // The cast: the table has a row for each trouble.
  const troubles = (Object.keys(FAILURE_KINDS) as Trouble[]).filter((trouble) => !without.includes(trouble));

  describe(`a request to ${name}`, () => {
    afterEach(closeAll);

    test.each(troubles)('fails with the right kind and without secrets if the provider %s', async (trouble) => {
      const rehearsal = await rehearse(trouble === 'does not answer' ? SHORT_TIMEOUT_MS : LONG_TIMEOUT_MS);
      await rehearsal.meet(trouble);
      const { log, lines } = recordingLog();

      const failure = await failureOf(rehearsal.send(new AbortController().signal, { log }));

      expect(failure).toMatchObject({
        kind: FAILURE_KINDS[trouble],
        code: trouble === 'rejects' ? 'provider_rejected' : 'provider_unavailable',
        retryAfterMs: trouble === 'throttles' ? 7_000 : null,
      });
      expect(failure.message).not.toMatch(/\n|undefined|null|\[object/);
      // Tenants can read the message. Only the operator may know the address of a provider.
      expect(failure.message).not.toMatch(/127\.0\.0\.1|localhost/);
      if (trouble === 'rejects') expect(failure.message).toContain(rehearsal.rejection);
      for (const secret of rehearsal.secrets) {
        expect(inspect(failure, { depth: 20, showHidden: true })).not.toContain(secret);
        expect(inspect(lines, { depth: 20 })).not.toContain(secret);
      }
    });

    test('is not sent if the signal was aborted before', async () => {
      const rehearsal = await rehearse(LONG_TIMEOUT_MS);

      const sending = rehearsal.send(AbortSignal.abort(new Error('too late')), { log: recordingLog().log });

      await expect(sending).rejects.toThrow('too late');
      expect(rehearsal.received()).toBe(0);
    });

    test('is canceled by the signal while in progress, with the reason of the signal', async () => {
      const rehearsal = await rehearse(LONG_TIMEOUT_MS);
      await rehearsal.meet('does not answer');
      const stopping = new AbortController();

      const sending = rehearsal.send(stopping.signal, { log: recordingLog().log });
      const ended = expect(sending).rejects.toThrow('stopping');
      await until('the request', () => rehearsal.received() > 0);
      stopping.abort(new Error('stopping'));

      await ended;
    });
  });
}

async function failureOf(sending: Promise<unknown>): Promise<ProviderFailure> {
  const error = await sending.then(
    () => new Error('the request succeeded'),
    (error: unknown) => error,
  );
  if (error instanceof ProviderFailure) return error;
  throw error;
}

function recordingLog(): { log: Logger; lines: unknown[] } {
  const lines: unknown[] = [];
  const keep = (message: string, fields?: object) => void lines.push({ message, fields });
  return { log: { debug: keep, info: keep, warn: keep, error: keep }, lines };
}
