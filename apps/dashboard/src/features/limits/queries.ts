import type { BodyOf, Schemas } from '@jobline/client';
import { useChange } from '../../api/use-change.js';
import { type List, useList } from '../../api/use-list.js';

/** Lists identify rows by `id`. */
export type Limit = Schemas['Limit'] & { id: string };
export type LimitSettings = BodyOf<'putLimit'>;
export type LimitChanges = BodyOf<'patchLimit'>;

const LIST = 'listLimits';
const POLL_EVERY_MS = 3_000;

/** The limits of the organization with the numbers of their jobs. Refetched while the page is visible. */
export function useLimits(): List<Limit> {
  const list = useList(LIST, undefined, POLL_EVERY_MS);
  return { ...list, refetching: false, rows: list.rows?.map((limit) => ({ ...limit, id: limit.name })) };
}

/** Creates a limit, or replaces all settings of an existing one. */
export function useSaveLimit() {
  return useChange((api, name: string, settings: LimitSettings) => api.limits.set(name, settings), LIST);
}

/** Changes only the settings that are given. */
export function useChangeLimit() {
  return useChange((api, name: string, changes: LimitChanges) => api.limits.update(name, changes), LIST);
}
