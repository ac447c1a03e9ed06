import { changedFields, fromNumberInput, toNumberInput, wordsOf } from '../../format/index.js';
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
  /** Without `after`, the limit never holds itself. */
  hold: { after: string; probe_seconds: string };
}

/** While a limit holds itself, a job starts each so many seconds, unless the user says otherwise. */
export const PROBE_SECONDS = 60;

export function valuesOf(limit: Limit | undefined): LimitValues {
  return {
    name: limit?.name ?? '',
    types: limit?.types.join(', ') ?? '',
    concurrency: toNumberInput(limit?.concurrency),
    per_second: toNumberInput(limit?.per_second),
    burst: limit && limit.burst !== automaticBurst(limit) ? toNumberInput(limit.burst) : '',
    per: limit?.ordered ? 'ordered' : (limit?.per ?? 'organization'),
    hold: { after: toNumberInput(limit?.hold?.after), probe_seconds: toNumberInput(limit?.hold?.probe_seconds) },
  };
}

/** The burst that the API shows for a limit without one. */
function automaticBurst({ per_second: perSecond }: Limit): number | null {
  return perSecond === null ? null : Math.max(1, Math.ceil(perSecond));
}

export function settingsOf({ types, concurrency, per_second, burst, per, hold }: LimitValues): LimitSettings {
  const after = fromNumberInput(hold.after);
  return {
    types: wordsOf(types),
    concurrency: per === 'ordered' ? 1 : fromNumberInput(concurrency),
    per_second: fromNumberInput(per_second),
    ...(burst.trim() !== '' && { burst: Number(burst) }),
    per: per === 'ordered' ? 'key' : per,
    ordered: per === 'ordered',
    hold: after === null ? null : { after, probe_seconds: fromNumberInput(hold.probe_seconds) ?? PROBE_SECONDS },
  };
}

/** The settings that differ. Null: a burst can only be removed together with all other settings. */
export function changesOf(before: LimitValues, after: LimitValues): LimitChanges | null {
  const [old, settings] = [settingsOf(before), settingsOf(after)];
  const losesBurst = old.burst !== undefined && settings.burst === undefined && settings.per_second !== null;
  return losesBurst ? null : changedFields(old, settings);
}

/** What the limit allows, as short phrases: "3 at a time", "5 per second, 10 at once", "for each key, in order". */
export function boundsOf({ concurrency, per_second, burst, per, ordered, hold }: Limit): string[] {
  return [
    ...(concurrency === null ? [] : [`${concurrency.toLocaleString()} at a time`]),
    ...(per_second === null ? [] : [`${per_second.toLocaleString()} per second, ${burst ?? 1} at once`]),
    ...(per === 'key' ? [ordered ? 'for each key, in order' : 'for each key'] : []),
    ...(hold ? [`holds itself after ${failuresIn(hold)}`] : []),
  ];
}

function failuresIn({ after }: NonNullable<Limit['hold']>): string {
  return after === 1 ? '1 failure' : `${after} failures in a row`;
}

/** Why a limit holds itself, and what ends it. Null: it does not hold itself now. */
export function holdReason({ hold, held_since: since }: Limit): string | null {
  if (!hold || !since) return null;
  return `${failuresIn(hold)} of the receiver or provider. One job is tried every ${hold.probe_seconds.toLocaleString()} s, and the first success opens the limit.`;
}

export function jobsOf({ name, types }: Pick<Limit, 'name' | 'types'>): string {
  const named = `jobs with the limit ${name}`;
  return types.length === 0 ? named : `${types.join(', ')}, and ${named}`;
}
