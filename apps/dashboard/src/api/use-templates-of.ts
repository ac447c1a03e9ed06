import type { Schemas } from '@jobline/client';
import { useList } from './use-list.js';

const MAX_TEMPLATES = 1_000;

/** The stored templates of a kind; undefined until they are loaded. */
export function useTemplatesOf(kind: Schemas['TemplateSummary']['kind']): Schemas['TemplateSummary'][] | undefined {
  return useList('listTemplates', { limit: MAX_TEMPLATES }).rows?.filter((template) => template.kind === kind);
}
