import type { SummaryLength } from '@jobline/handlers/ports';

/** How many sentences the words for a length mean. */
export const SENTENCES: Readonly<Record<Exclude<SummaryLength, number>, number>> = { short: 3, medium: 6, long: 12 };
