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
  /** The p99 of the victim's events is at most so many times that without an attack. */
  maxEventFactor?: number;
  /** Whether its jobs need Chromium. */
  usesBrowser?: boolean;
}

/** What the attacks are compared with. */
export const IDLE: Attack;
export const ATTACKS: readonly Attack[];
