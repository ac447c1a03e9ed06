import type { JsonObject } from '@jobline/contracts';
import { aboutsOf } from './about.js';
import { builtIn, createCatalogue } from './jobs/index.js';

const BUILT_IN = createCatalogue();

/** The job types whose payloads have texts by which a search finds a job. */
export const SEARCHED_TYPES: readonly string[] = builtIn
  .filter(({ about, subject }) => about ?? subject)
  .map(({ type }) => type);

/** What a payload says of a job of one of these types: whom or what it is about, and its subject. */
export function searchedTexts(type: string, payload: JsonObject): { abouts: string[]; subject: string | null } {
  const subject = BUILT_IN.get(type)?.subject?.(payload);
  return {
    abouts: aboutsOf(type, payload).map(({ value }) => value),
    subject: typeof subject === 'string' ? subject : null,
  };
}
