/** How long a summary is to be: a number of sentences, or a word for one that fits. */
export type SummaryLength = 'short' | 'medium' | 'long' | number;

export interface SummaryRequest {
  text: string;
  length: SummaryLength;
  signal: AbortSignal;
}

export interface Summary {
  summary: string;
  /** What made it: `local-extractive`, or a model's own name. */
  model: string;
}

/**
 * Says in few sentences what a text says in many. Throws ProviderFailure when a provider fails or refuses, and
 * the signal's reason when that fired.
 */
export interface Summarizer {
  summarize(request: SummaryRequest): Promise<Summary>;
}
