import { useQuery } from '@tanstack/react-query';
import { useApi } from '../services.js';
import { type Schemas, take } from './api-client.js';

const MOST = 1_000;

/** The stored templates of a kind, to write from; undefined until they are known. */
export function useTemplatesOf(kind: Schemas['TemplateSummary']['kind']): Schemas['TemplateSummary'][] | undefined {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['templates', 'all'],
    queryFn: ({ signal }) => take(api.GET('/org/templates', { params: { query: { limit: MOST } }, signal })),
  });
  return data?.filter((template) => template.kind === kind);
}
