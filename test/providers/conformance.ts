import { inspect } from 'node:util';
import { ProviderFailure, type ProviderFailureKind } from '@jobline/handlers';
import type { ProviderContext } from '@jobline/providers';
import type { Logger } from '@jobline/runtime';
import { afterEach, describe, expect, test } from 'vitest';
import { until } from '../harness/index.js';
import { closeAll } from './receivers.js';

/** The ways in which a provider can let a request down. */
export type Trouble =
  | 'refuses'
  | 'fails'
  /** Asks to wait 7 s. */
  | 'throttles'
  | 'says nothing'
  | 'hangs up'
  | 'answers half'
  | 'is not there';

/** An adapter that is set up to call a server in its provider's place. */
export interface Rehearsal {
  /** Opens the adapter and makes its one request. */
  send(signal: AbortSignal, context: ProviderContext): Promise<unknown>;
  /** What the server gets to do from now on. */
  meet(trouble: Trouble): unknown;
  /** How many requests the server has had. */
  received(): number;
  /** What must not be read in a failure or a log: keys, and what is sent. */
  secrets: readonly string[];
  /** Words that the server refuses with. */
  refusal: string;
}

/** What each trouble means, for every adapter. One that cannot be in some trouble leaves it out. */
const MEANINGS: Record<Trouble, { kind: ProviderFailureKind; meaning: string }> = {
  refuses: { kind: 'rejected', meaning: 'a refusal in its words' },
  fails: { kind: 'transient', meaning: 'a failure that may pass' },
  throttles: { kind: 'throttled', meaning: 'a wait as long as it asks for' },
  'says nothing': { kind: 'ambiguous', meaning: 'nobody knows what it did' },
  'hangs up': { kind: 'ambiguous', meaning: 'nobody knows what it did' },
  'answers half': { kind: 'ambiguous', meaning: 'nobody knows what it did' },
  'is not there': { kind: 'transient', meaning: 'a failure that may pass' },
};

/** The longest that every adapter can be set to. */
const PATIENCE_MS = 55_000;
const IMPATIENCE_MS = 300;

/** What every adapter of a real provider owes to whoever calls it. `rehearse` makes a new server and waits so long for it. */
export function failsAsAgreed(
  name: string,
  rehearse: (timeoutMs: number) => Promise<Rehearsal>,
  { without = [] }: { without?: readonly Trouble[] } = {},
): void {
  // The cast: the table has a row for each of them.
  const troubles = (Object.keys(MEANINGS) as Trouble[]).filter((trouble) => !without.includes(trouble));

  describe(`a failure of ${name}`, () => {
    afterEach(closeAll);

    test.each(troubles)('that %s says what it means, and no secret', async (trouble) => {
      const rehearsal = await rehearse(trouble === 'says nothing' ? IMPATIENCE_MS : PATIENCE_MS);
      await rehearsal.meet(trouble);
      const { log, lines } = keepingLog();

      const failure = await failureOf(rehearsal.send(new AbortController().signal, { log }));

      expect(failure).toMatchObject({
        kind: MEANINGS[trouble].kind,
        code: trouble === 'refuses' ? 'provider_rejected' : 'provider_unavailable',
        retryAfterMs: trouble === 'throttles' ? 7_000 : null,
      });
      expect(failure.message).not.toMatch(/\n|undefined|null|\[object/);
      // Tenants read it, and where a provider is reached is the operator's.
      expect(failure.message).not.toMatch(/127\.0\.0\.1|localhost/);
      if (trouble === 'refuses') expect(failure.message).toContain(rehearsal.refusal);
      for (const secret of rehearsal.secrets) {
        expect(inspect(failure, { depth: 20, showHidden: true })).not.toContain(secret);
        expect(inspect(lines, { depth: 20 })).not.toContain(secret);
      }
    });

    test('nothing is sent when the signal had fired before', async () => {
      const rehearsal = await rehearse(PATIENCE_MS);

      const sending = rehearsal.send(AbortSignal.abort(new Error('too late')), { log: keepingLog().log });

      await expect(sending).rejects.toThrow('too late');
      expect(rehearsal.received()).toBe(0);
    });

    test('the signal ends a request under way, with its own reason', async () => {
      const rehearsal = await rehearse(PATIENCE_MS);
      await rehearsal.meet('says nothing');
      const stopping = new AbortController();

      const sending = rehearsal.send(stopping.signal, { log: keepingLog().log });
      const ended = expect(sending).rejects.toThrow('stopping');
      await until('the request', () => rehearsal.received() > 0);
      stopping.abort(new Error('stopping'));

      await ended;
    });
  });
}

async function failureOf(sending: Promise<unknown>): Promise<ProviderFailure> {
  const error = await sending.then(
    () => new Error('it was taken for a success'),
    (error: unknown) => error,
  );
  if (error instanceof ProviderFailure) return error;
  throw error;
}

function keepingLog(): { log: Logger; lines: unknown[] } {
  const lines: unknown[] = [];
  const keep = (message: string, fields?: object) => void lines.push({ message, fields });
  return { log: { debug: keep, info: keep, warn: keep, error: keep }, lines };
}
