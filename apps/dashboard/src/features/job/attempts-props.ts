import type { Attempt } from './attempts.js';

export interface AttemptsProps {
  /** Whether the log, which tells of them, has been read. */
  isKnown: boolean;
  attempts: readonly Attempt[];
  now: number;
  /** When the next one is due; null: none is to come. */
  nextAt: number | null;
  chosen: number | null;
  onChoose: (number: number | null) => void;
}
