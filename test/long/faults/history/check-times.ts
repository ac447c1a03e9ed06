/** Planned times of a schedule that made no job, or more than one, in the order of the times. */
export function checkTimes(planned: readonly number[], periodMs: number): string[] {
  const times = planned.toSorted((a, b) => a - b);
  return times.slice(1).flatMap((time, i) => {
    const before = times[i] ?? 0;
    if (time === before) return [`${iso(time)} has more than one job`];
    const missing = Math.round((time - before) / periodMs) - 1;
    return missing === 0 ? [] : [`${missing} times after ${iso(before)} have no job`];
  });
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
