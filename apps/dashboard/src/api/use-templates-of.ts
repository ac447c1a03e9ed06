import { useQuery } from '@tanstack/react-query';
import { useApi } from '../services.js';
import { type Schemas, take } from './api-client.js';

const MAX_TEMPLATES = 1_000;

/** The stored templates of a kind; undefined until they are loaded. */
export function useTemplatesOf(kind: Schemas['TemplateSummary']['kind']): Schemas['TemplateSummary'][] | undefined {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['templates', 'all'],
    queryFn: ({ signal }) => take(api.GET('/org/templates', { params: { query: { limit: MAX_TEMPLATES } }, signal })),
  });
  return data?.filter((template) => template.kind === kind);
}
