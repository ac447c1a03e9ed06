import type { Seed } from '../seeds.js';

/** An attack of some seconds by one process with its own organizations and receivers. */
export interface Attack {
  name: string;
  /** The number of its organizations. Default: 1. */
  orgs?: number;
  /** What each of its organizations has before it begins. */
  seeds?: readonly Seed[];
  /** Webhooks that the victim gets: the attacker is a member of its organization. */
  ofVictim?: Seed;
  /** Whether its jobs need Chromium. */
  usesBrowser?: boolean;
  /** Whether the short form runs it too. */
  isShort?: boolean;
}

export const ATTACKS: readonly Attack[];
