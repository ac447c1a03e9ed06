import { useQuery, useQueryClient } from '@tanstack/react-query';
import { readData } from '../../api/use-filled-template.js';
import { useApi } from '../../services.js';
import { sourceOf, type Template, type Values } from './model.js';

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

/** Returns a function that creates a template, or replaces it if it has an id. */
export function useSaveTemplate(): (id: string | null, values: Values) => Promise<Template> {
  const api = useApi();
  const queries = useQueryClient();
  return async (id, values) => {
    const body = { name: values.name, ...sourceOf(values), sample: readData(values.sample).data ?? {} };
    const saved = await (id === null
      ? api.call('createTemplate', { body })
      : api.call('replaceTemplate', { path: { id }, body }));
    queries.setQueryData(['template', saved.id], saved);
    void queries.invalidateQueries({ queryKey: ['listTemplates'] });
    return saved;
  };
}
