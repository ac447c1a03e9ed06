import type { TemplateData } from '../api/use-filled-template.js';
import { isObject } from '../format/index.js';

/** The data for a template, or why its text is invalid. */
export type ReadData = { data: TemplateData; error?: never } | { error: string; data?: never };

/** Parses the data for a template from the text of its field. An empty text is an empty object. */
export function readData(text: string): ReadData {
  if (text.trim() === '') return { data: {} };
  try {
    const data: unknown = JSON.parse(text);
    return isObject(data) ? { data } : { error: 'The data must be a JSON object: { … }.' };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
