/** A rule for a search parameter. Invalid values are ignored, because URLs are typed, cut off and outdated. */
type Rule<T> = (value: unknown) => T | undefined;
type Rules = Record<string, Rule<unknown>>;
type Search<R extends Rules> = { [K in keyof R]?: Exclude<ReturnType<R[K]>, undefined> };

/** For a route's `validateSearch`: `search({ status: oneOf(JOB_STATUSES), type: text(), new: flag() })`. */
export function search<R extends Rules>(rules: R): (raw: Record<string, unknown>) => Search<R> {
  return (raw) => {
    const entries = Object.entries(rules).map(([name, rule]) => [name, rule(raw[name])] as const);
    // The cast: each value was returned by its rule.
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Search<R>;
  };
}

/** A text for which `isValid` is true. */
export function textWith(isValid: (text: string) => boolean): Rule<string> {
  return (value) => (typeof value === 'string' && isValid(value) ? value : undefined);
}

export const text = (maxLength = 500) => textWith(({ length }) => length > 0 && length <= maxLength);

export const instant = () => textWith((value) => !Number.isNaN(Date.parse(value)));

export function oneOf<const T extends string>(values: readonly T[]): Rule<T> {
  return (value) => values.find((one) => one === value);
}

/** `?new=1`, which links write as `{ new: 1 }`. */
export function flag(): Rule<1> {
  return (value) => (value === 1 || value === '1' ? 1 : undefined);
}

/** A change of search parameters. Undefined removes a parameter. */
export type Change<T> = { [Name in keyof T]: T[Name] | undefined };

/** The parameters that are not undefined, which removes a parameter. */
export function given<T extends object>(values: Change<T>): T {
  // The cast: what is left out is optional.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}

/** Parses every search parameter as text. The router's default would parse `?id=12` as a number. */
export const plainSearch = {
  parseSearch: (text: string): Record<string, unknown> => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (values: Record<string, unknown>): string => {
    const params = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) if (value !== undefined) params.set(name, String(value));
    return params.size > 0 ? `?${params}` : '';
  },
};
