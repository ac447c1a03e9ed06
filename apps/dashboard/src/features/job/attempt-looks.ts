import { Ban, CircleCheck, CircleX, Loader, type LucideIcon, Undo2, Unplug } from 'lucide-react';
import { formatDuration } from '../../format/index.js';
import type { Tone } from '../../ui/index.js';
import type { Attempt, AttemptEnd } from './attempts.js';

interface Looks {
  word: string;
  icon: LucideIcon;
  tone: Tone;
}

export const ATTEMPT_LOOKS: Record<AttemptEnd, Looks> = {
  running: { word: 'running', icon: Loader, tone: 'running' },
  succeeded: { word: 'done', icon: CircleCheck, tone: 'done' },
  failed: { word: 'failed', icon: CircleX, tone: 'failed' },
  canceled: { word: 'canceled', icon: Ban, tone: 'failed' },
  worker_lost: { word: 'worker lost', icon: Unplug, tone: 'warning' },
  released: { word: 'released', icon: Undo2, tone: 'pending' },
};

/** `Attempt 2: failed after 1.2 s, waited 1.0 s before it`. */
export function attemptSentence({ number, end, waitedMs }: Attempt, spanMs: number): string {
  const connects = end === 'running' ? 'for' : 'after';
  const waited = `waited ${formatDuration(waitedMs)} before it`;
  return `Attempt ${number}: ${ATTEMPT_LOOKS[end].word} ${connects} ${formatDuration(spanMs)}, ${waited}`;
}

/** Says when the next attempt starts. */
export function nextSentence(attemptCount: number, nextAt: number, now: number): string {
  const which = attemptCount === 0 ? 'First attempt' : 'Next attempt';
  return nextAt > now ? `${which} in ${formatDuration(nextAt - now)}` : `${which}: waiting to start`;
}

/** The text for a job without attempts. */
export function neverStarted(isKnown: boolean): string {
  return isKnown ? 'The job was never started.' : 'The attempts are shown when the log has loaded.';
}
