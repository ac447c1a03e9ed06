import type { JobKey } from '@jobline/contracts';
import type { ConditionRow, JobRow, LineRow } from './rows.js';

/** What is stored of all jobs at the end. */
export interface Stored {
  rows: ReadonlyMap<JobKey, JobRow>;
  lines: ReadonlyMap<JobKey, readonly LineRow[]>;
  conditions: ReadonlyMap<JobKey, readonly ConditionRow[]>;
}

/**
 * Checks the conditions of a job when everything has finished: each has the state that the end of its job gives it, each attempt started
 * after all of them were met, and the job has failed because of one exactly if one has failed.
 */
export function wrongConditions({ key, status, errorCode, isRedacted }: JobRow, stored: Stored): string[] {
  const conditions = stored.conditions.get(key) ?? [];
  const problems = conditions.flatMap((condition) => wrongState(condition, stored));
  const attempts = (stored.lines.get(key) ?? []).filter(({ kind }) => kind === 'started');
  for (const { id, attempt } of attempts) {
    const isEarly = conditions.some((condition) => !wasMet(condition, stored, id));
    if (isEarly) problems.push(`attempt ${attempt} started before its conditions were met`);
  }
  const hasFailed = conditions.some(({ state }) => state === 'failed');
  const isFailed = status === 'failed' && errorCode === 'dependency_failed';
  if (isFailed && !hasFailed && !isRedacted) problems.push('it waited in vain, but no condition has failed');
  if (hasFailed && status === 'done') problems.push('it is done, but a condition has failed');
  return problems;
}

function wrongState(condition: ConditionRow, stored: Stored): string[] {
  const { afterKey, until, state } = condition;
  const status = stored.rows.get(afterKey)?.status;
  // A condition that was met stays so when its job runs again and fails.
  const isMet = wasMet(condition, stored);
  const isRight = state === 'met' ? isMet : state === 'failed' && status === 'failed' && until === 'done';
  return isRight ? [] : [`its condition "${until}" is ${state}, and its job ${status}`];
}

/** Whether the job had an end that meets the condition, before a line of another job. */
function wasMet({ afterKey, until }: ConditionRow, { lines }: Stored, before?: number): boolean {
  return (lines.get(afterKey) ?? []).some(
    ({ id, status }) =>
      (before === undefined || id < before) && (status === 'done' || (status === 'failed' && until === 'ended')),
  );
}
