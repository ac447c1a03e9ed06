import type { BodyOf, Schemas } from '@jobline/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type List, useList } from '../../api/use-list.js';
import { useApi } from '../../services.js';
import { toast } from '../../ui/index.js';

/** Lists identify rows by `id`. */
export type Limit = Schemas['Limit'] & { id: string };
export type LimitSettings = BodyOf<'putLimit'>;
export type LimitChanges = BodyOf<'patchLimit'>;

const POLL_EVERY_MS = 3_000;

/** The limits of the organization with the numbers of their jobs. Refetched while the page is visible. */
export function useLimits(): List<Limit> {
  const list = useList('listLimits', undefined, POLL_EVERY_MS);
  return { ...list, refetching: false, rows: list.rows?.map((limit) => ({ ...limit, id: limit.name })) };
}

/** Reads a limit as it is now. Undefined: there is none of this name. */
export function useReadLimit(): (name: string) => Promise<Schemas['Limit'] | undefined> {
  const api = useApi();
  return async (name) => (await api.limits.list()).data.find((limit) => limit.name === name);
}

/** Creates a limit, or replaces all settings of an existing one. */
export function useSaveLimit(): (name: string, settings: LimitSettings) => Promise<void> {
  const api = useApi();
  const refresh = useRefresh();
  return async (name, body) => {
    await api.limits.set(name, body);
    await refresh();
  };
}

/** Changes only the settings that are given. */
export function useChangeLimit(): (name: string, changes: LimitChanges) => Promise<void> {
  const api = useApi();
  const refresh = useRefresh();
  return async (name, body) => {
    await api.limits.update(name, body);
    await refresh();
  };
}

export function useDeleteLimit(): (name: string) => Promise<void> {
  const api = useApi();
  const refresh = useRefresh();
  return async (name) => {
    await api.limits.delete(name);
    await refresh();
  };
}

/** An action of one click. If it fails, a toast says why. */
export function useAction<T>(run: (value: T) => Promise<void>) {
  return useMutation({ mutationFn: run, onError: ({ message }) => toast.error(message) });
}

/** Pauses or resumes a limit. */
export function usePauseLimit() {
  const change = useChangeLimit();
  return useAction(({ name, paused }: Pick<Limit, 'name' | 'paused'>) => change(name, { paused }));
}

function useRefresh(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ['listLimits'] });
}
