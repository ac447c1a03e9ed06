import type { StatsWindow } from '@jobline/contracts';

/** How the time ranges of the statistics are shown. */
export const WINDOW_WORDS: Record<StatsWindow, string> = { '1h': '1 h', '24h': '24 h', '7d': '7 d' };
