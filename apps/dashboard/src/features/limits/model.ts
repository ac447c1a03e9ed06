import { fromNumberInput, toNumberInput } from '../../format/index.js';
import type { Limit, LimitChanges, LimitSettings } from './queries.js';

/** The values of the form. Fields with numbers are texts, and an empty text means no bound. */
export interface LimitValues {
  name: string;
  types: string;
  concurrency: string;
  per_second: string;
  /** Empty: it follows from `per_second`. */
  burst: string;
  per: 'organization' | 'key' | 'ordered';
}

export function valuesOf(limit: Limit | undefined): LimitValues {
  return {
    name: limit?.name ?? '',
    types: limit?.types.join(', ') ?? '',
    concurrency: toNumberInput(limit?.concurrency),
    per_second: toNumberInput(limit?.per_second),
    burst: limit && limit.burst !== automaticBurst(limit) ? toNumberInput(limit.burst) : '',
    per: limit?.ordered ? 'ordered' : (limit?.per ?? 'organization'),
  };
}

/** The names in a text that separates them by spaces or commas. */
export function typesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((type) => type !== '');
}

/** The burst that the API shows for a limit without one. */
function automaticBurst({ per_second: perSecond }: Limit): number | null {
  return perSecond === null ? null : Math.max(1, Math.ceil(perSecond));
}

export function settingsOf({ types, concurrency, per_second, burst, per }: LimitValues): LimitSettings {
  return {
    types: typesOf(types),
    concurrency: per === 'ordered' ? 1 : fromNumberInput(concurrency),
    per_second: fromNumberInput(per_second),
    ...(burst.trim() !== '' && { burst: Number(burst) }),
    per: per === 'ordered' ? 'key' : per,
    ordered: per === 'ordered',
  };
}

/**
 * The settings that differ, so that a save does not undo what another user has changed meanwhile. Null if they cannot be
 * changed one by one: a burst can only be removed together with all other settings.
 */
export function changesOf(before: LimitValues, after: LimitValues): LimitChanges | null {
  const old: Partial<Record<string, unknown>> = settingsOf(before);
  const settings = settingsOf(after);
  if (old.burst !== undefined && settings.burst === undefined && settings.per_second !== null) return null;
  const entries = Object.entries(settings);
  return Object.fromEntries(entries.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name])));
}

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
