import { cx } from './cx.js';
import { Tooltip } from './tooltip.js';

export type LiveState = 'live' | 'reconnecting' | 'polling' | 'paused';

const STATES: Record<LiveState, { word: string; dot: string; meaning: string }> = {
  live: { word: 'Live', dot: 'bg-done', meaning: 'Changes arrive as they happen.' },
  reconnecting: {
    word: 'Reconnecting',
    dot: 'bg-warning animate-breathe',
    meaning: 'The connection was lost; reconnecting.',
  },
  polling: {
    word: 'Polling',
    dot: 'border-2 border-running',
    meaning: 'Live updates are not available; the page refreshes every few seconds.',
  },
  paused: {
    word: 'Paused',
    dot: 'border-2 border-pending',
    meaning: 'The page does not refresh while this tab is hidden.',
  },
};

/** Shows how the page receives updates. */
export function LivePill({ state }: { state: LiveState }) {
  const { word, dot, meaning } = STATES[state];
  return (
    <Tooltip content={meaning}>
      <span
        role="status"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip must open on focus
        tabIndex={0}
        className="inline-flex h-6 items-center gap-1.5 rounded-full border border-line bg-surface px-2 text-meta font-medium text-muted"
      >
        <span aria-hidden="true" className={cx('size-2 rounded-full', dot)} />
        {word}
      </span>
    </Tooltip>
  );
}
