/** What a page's address may carry. A value that breaks its rule is as if it were not there: addresses are typed, cut and old. */
type Rule<T> = (value: unknown) => T | undefined;
type Rules = Record<string, Rule<unknown>>;
type Search<R extends Rules> = { [K in keyof R]?: Exclude<ReturnType<R[K]>, undefined> };

/** For a route's `validateSearch`: `search({ status: oneOf(JOB_STATUSES), type: text(), new: flag() })`. */
export function search<R extends Rules>(rules: R): (raw: Record<string, unknown>) => Search<R> {
  return (raw) => {
    const entries = Object.entries(rules).map(([name, rule]) => [name, rule(raw[name])] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Search<R>; // each made by its rule
  };
}

export function text(maxLength = 500): Rule<string> {
  return (value) => {
    return typeof value === 'string' && value !== '' && value.length <= maxLength ? value : undefined;
  };
}

export function oneOf<const T extends string>(values: readonly T[]): Rule<T> {
  return (value) => values.find((one) => one === value);
}

/** `?new=1`. Written as `{ new: 1 }`. */
export function flag(): Rule<1> {
  return (value) => (value === 1 || value === '1' ? 1 : undefined);
}

export function instant(): Rule<string> {
  return (value) => (typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined);
}

/** Addresses as people write them: every value is text. The router's own way would read `?id=12` as a number. */
export const plainSearch = {
  parseSearch: (text: string): Record<string, unknown> => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (values: Record<string, unknown>): string => {
    const params = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) if (value !== undefined) params.set(name, String(value));
    return params.size > 0 ? `?${params}` : '';
  },
};
