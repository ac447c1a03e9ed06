import { useQuery, useQueryClient } from '@tanstack/react-query';
import { take, takePage } from '../../api/api-client.js';
import { type List, useList } from '../../api/use-list.js';
import { useApi } from '../../services.js';
import { sourceOf, type Template, type TemplateSummary, type Values } from './template-values.js';

export function useTemplates(): List<TemplateSummary> {
  const api = useApi();
  return useList(['templates', 'list'], (cursor) =>
    takePage(api.GET('/org/templates', { params: { query: cursor === undefined ? {} : { cursor } } })),
  );
}

export function useTemplate(id: string | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: ['template', id],
    queryFn: ({ signal }) => take(api.GET('/org/templates/{id}', { params: { path: { id: id ?? '' } }, signal })),
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
    const body = { name: values.name, ...sourceOf(values) };
    const saved = await take(
      id === null
        ? api.POST('/org/templates', { body })
        : api.PUT('/org/templates/{id}', { params: { path: { id } }, body }),
    );
    queries.setQueryData(['template', saved.id], saved);
    void queries.invalidateQueries({ queryKey: ['templates'] });
    return saved;
  };
}

export function useDeleteTemplate(): (id: string) => Promise<void> {
  const api = useApi();
  const queries = useQueryClient();
  return async (id) => {
    await api.DELETE('/org/templates/{id}', { params: { path: { id } } });
    await queries.invalidateQueries({ queryKey: ['templates'] });
  };
}
