import type { JsonObject } from '@jobline/contracts';
import { aboutsOf, createCatalogue } from '@jobline/handlers';

/** Only built-in types say what their payloads are about. */
const BUILT_IN = createCatalogue();

/** What a payload names, as it is stored; undefined: nothing. */
export function aboutTexts(type: string, payload: JsonObject): string[] | undefined {
  if (!BUILT_IN.get(type)?.about) return undefined;
  const texts = aboutsOf(type, payload).map(({ field, value }) => `${field}:${value}`);
  return texts.length > 0 ? [...new Set(texts)] : undefined;
}

/** Like aboutTexts, for a payload as JSON text. It is parsed only if the type is about something. */
export function aboutTextsIn(type: string, payload: string): string[] | undefined {
  // The cast: only objects are stored as payloads.
  return BUILT_IN.get(type)?.about && aboutTexts(type, JSON.parse(payload) as JsonObject);
}
