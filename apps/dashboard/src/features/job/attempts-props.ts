import type { Attempt } from './attempts.js';

export interface AttemptsProps {
  /** Whether the log, from which the attempts are read, has been loaded. */
  isKnown: boolean;
  attempts: readonly Attempt[];
  now: number;
  /** When the next attempt is due; null if there is none. */
  nextAt: number | null;
  chosen: number | null;
  onChoose: (number: number | null) => void;
}
