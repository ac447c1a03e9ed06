import { EMAIL_STATUSES, SMS_STATUSES } from '@jobline/contracts';
import { type Change, flag, instant, oneOf, search, text } from '../../search-params.js';

/** The filters of a history: the search parameters that the API also supports. */
const FILTERS = {
  /** The whole recipient. */
  to: text(320),
  /** Words of the subject. Only emails have one. */
  q: text(200),
  /** The id of the job that sent the messages. */
  job: text(128),
  created_after: instant(),
  created_before: instant(),
};
const filterSearch = search(FILTERS);

const shared = { ...FILTERS, id: text(64) };
/** `template`: the id of the template that is being filled in. */
const composing = { template: text(64) };
export const emailSearch = search({
  ...shared,
  ...composing,
  folder: oneOf([...EMAIL_STATUSES, 'drafts', 'suppressed']),
  compose: flag(),
});
export const smsSearch = search({
  ...shared,
  ...composing,
  status: oneOf(SMS_STATUSES),
  tab: oneOf(['compose', 'history']),
});
export const chatSearch = search({ ...shared, status: oneOf(SMS_STATUSES) });

export type Filters = ReturnType<typeof filterSearch>;
export type FilterChange = Change<Filters>;

// The cast: the keys are those of FILTERS.
export const NO_FILTERS = Object.fromEntries(Object.keys(FILTERS).map((name) => [name, undefined])) as FilterChange;

export function isFiltered(params: Filters): boolean {
  return Object.keys(filterSearch(params)).length > 0;
}

/** Returns the filters that are set, with times in the format of the API. */
export function filtersOf(params: Filters): Filters {
  const { created_after: after, created_before: before, ...filters } = filterSearch(params);
  return {
    ...filters,
    ...(after && { created_after: new Date(after).toISOString() }),
    ...(before && { created_before: new Date(before).toISOString() }),
  };
}
