import { readData } from '../../api/use-filled-template.js';
import { useServices } from '../../services.js';
import { sourceOf, type Template, type Values } from './model.js';

/** Returns a function that creates a template, or replaces it if it has an id. */
export function useSaveTemplate(): (id: string | null, values: Values) => Promise<Template> {
  const { api, queries } = useServices();
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
