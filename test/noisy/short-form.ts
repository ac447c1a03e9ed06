import { afterAll, beforeAll, it } from 'vitest';
import type { Attack } from './attacks/index.mjs';
import { expectUnharmed } from './expect-unharmed.js';
import { type Noisy, startNoisy } from './noisy.js';

/** One attack on the API's processor, one on its memory and connections, and one on the workers. */
export const FIRST_ATTACKS = ['payloads of quotes', 'pages of a thousand', 'a burst of jobs'];

/** Duration of each attack. The long version in test/long also checks the times. */
const ATTACK_MS = 1_000;

/** With their whole names as titles: those of objects are cut. */
export function named(attacks: readonly Attack[]): [string, Attack][] {
  return attacks.map((attack) => [attack.name, attack]);
}

/** Defines a test of each attack that no other organization is harmed. */
export function testAttacks(attacks: readonly Attack[]): void {
  let noisy: Noisy;
  beforeAll(async () => {
    noisy = await startNoisy(1);
  });
  afterAll(() => noisy.end());

  it.each(named(attacks))('no other organization is harmed by %s', async (_name, attack) => {
    expectUnharmed(await noisy.attack(attack, ATTACK_MS));
  });
}
