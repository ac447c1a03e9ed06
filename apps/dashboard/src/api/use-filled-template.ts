import type { Schemas } from '@jobline/client';
import type { TemplateKind } from '@jobline/contracts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isObject } from '../format/index.js';
import { useApi } from '../services.js';
import { useDebounced } from '../ui/hooks.js';

/** Loads a stored template. */
export function useTemplate(id: string | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: ['template', id],
    queryFn: ({ signal }) => api.call('getTemplate', { path: { id: id ?? '' } }, { signal }),
    enabled: id !== undefined,
    placeholderData: () => undefined, // do not show another template while this one loads
    refetchOnWindowFocus: false, // a template must not change while it is edited
    staleTime: 0, // opening a template loads its latest version
  });
}

/** A template that is not stored yet. */
export interface TemplateSource {
  kind: TemplateKind;
  subject?: string;
  body: string;
}

/** A stored template by its id, or the source of a template. */
type TemplateRef = { id: string } | TemplateSource;

export type TemplateData = Record<string, unknown>;

export interface FilledTemplate<T extends TemplateRef> {
  /** The last valid result, with the template that it belongs to; null before the first. */
  filled: (Schemas['Preview'] & { template: T }) | null;
  error: Error | null;
  /** True while `filled` still belongs to an earlier template or earlier data. */
  isBehind: boolean;
}

const DELAY_MS = 300;

/**
 * Keeps a template filled with data while the user edits both. It calls the API when the user pauses and aborts requests
 * for older input. A template with an empty body is not sent, because the API rejects it.
 */
export function useFilledTemplate<T extends TemplateRef>(template: T, data: TemplateData): FilledTemplate<T> {
  const api = useApi();
  const input = JSON.stringify({ template, data });
  const debounced = useDebounced(input, DELAY_MS);
  const sent = JSON.parse(debounced) as { template: T; data: TemplateData }; // written above
  const [last, setLast] = useState<FilledTemplate<T>['filled']>(null);
  const query = useQuery({
    queryKey: ['filled-template', debounced],
    queryFn: async ({ signal }) => {
      const { template, data } = sent;
      const filled = await ('id' in template
        ? api.call('previewTemplate', { path: { id: template.id }, body: { data } }, { signal })
        : api.call('previewText', { body: { ...template, data } }, { signal }));
      return { ...filled, template };
    },
    enabled: !isEmpty(template) && !isEmpty(sent.template),
    placeholderData: () => undefined, // the last result is kept here
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  if (query.data && query.data !== last) setLast(query.data);
  if (isEmpty(template)) return { filled: null, error: null, isBehind: false };
  return { filled: query.data ?? last, error: query.error, isBehind: input !== debounced || query.isFetching };
}

function isEmpty(template: TemplateRef): boolean {
  return 'body' in template && template.body === '';
}

/** The data for a template, or why its text is invalid. */
type ReadData = { data: TemplateData; error?: never } | { error: string; data?: never };

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
