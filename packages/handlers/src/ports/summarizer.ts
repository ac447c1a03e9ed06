/** The length of a summary: a number of sentences, or a named length. */
export type SummaryLength = 'short' | 'medium' | 'long' | number;

export interface SummaryRequest {
  text: string;
  length: SummaryLength;
  signal: AbortSignal;
}

export interface Summary {
  summary: string;
  /** The model: `local-extractive`, or the name of a language model. */
  model: string;
}

/**
 * Summarizes texts. Throws ProviderFailure if a provider fails or rejects the request, or the reason of the signal if
 * the signal is aborted.
 */
export interface Summarizer {
  summarize(request: SummaryRequest): Promise<Summary>;
}
