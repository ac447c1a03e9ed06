import type { Limit } from './use-limits.js';

/** What the limit allows, as short phrases: "3 at a time", "5 per second, 10 at once", "for each key, in order". */
export function boundsOf({ concurrency, per_second, burst, per, ordered }: Limit): string[] {
  return [
    ...(concurrency === null ? [] : [`${concurrency.toLocaleString()} at a time`]),
    ...(per_second === null ? [] : [`${per_second.toLocaleString()} per second, ${burst ?? 1} at once`]),
    ...(per === 'key' ? [ordered ? 'for each key, in order' : 'for each key'] : []),
  ];
}

/** Which jobs are under the limit. */
export function jobsOf({ name, types }: Pick<Limit, 'name' | 'types'>): string {
  const named = `jobs with the limit ${name}`;
  return types.length === 0 ? named : `${types.join(', ')}, and ${named}`;
}
