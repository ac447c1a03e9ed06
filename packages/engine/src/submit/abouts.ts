import type { JsonObject } from '@jobline/contracts';
import { ABOUT_TYPES, aboutsOf } from '@jobline/handlers';

/** What a payload names, as it is stored; undefined: nothing. */
export function aboutTexts(type: string, payload: JsonObject): string[] | undefined {
  const texts = aboutsOf(type, payload).map(({ field, value }) => `${field}:${value}`);
  return texts.length > 0 ? [...new Set(texts)] : undefined;
}

/** Like aboutTexts, for a payload as JSON text. It is parsed only if the type is about something. */
export function aboutTextsIn(type: string, payload: string): string[] | undefined {
  // The cast: only objects are stored as payloads.
  return ABOUT_TYPES.includes(type) ? aboutTexts(type, JSON.parse(payload) as JsonObject) : undefined;
}
