import type { Summarizer } from '@jobline/handlers/ports';
import { createLocalSummarizer } from './local.js';

/** The ways to sum up a text, as AI_PROVIDER names them: one line each. */
const SUMMARIZERS = {
  local: createLocalSummarizer,
} satisfies Record<string, () => Summarizer>;

export type AiProvider = keyof typeof SUMMARIZERS;

export const AI_PROVIDERS: readonly string[] = Object.keys(SUMMARIZERS);

export function createSummarizer(provider: AiProvider): Summarizer {
  return SUMMARIZERS[provider]();
}
