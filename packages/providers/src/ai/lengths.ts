import type { SummaryLength } from '@jobline/handlers/ports';

/** The number of sentences of each named length. */
export const SENTENCES: Readonly<Record<Exclude<SummaryLength, number>, number>> = { short: 3, medium: 6, long: 12 };
