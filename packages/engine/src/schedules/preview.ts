import { describeTiming } from './describe.js';
import { plannedTimes, type Timing } from './timing.js';

/** The next times of a timing, and the timing as a plain sentence. */
export interface Preview {
  times: Date[];
  description: string;
}

/** The times after `from`, at most `count`. A period counts from `from`. */
export async function previewTiming(timing: Omit<Timing, 'anchorAt'>, from: Date, count: number): Promise<Preview> {
  const planned = plannedTimes({ ...timing, anchorAt: from });
  const times: Date[] = [];
  for (let at = planned.next(from.getTime()); at !== null && times.length < count; at = planned.next(at)) {
    times.push(new Date(at));
  }
  const description = await describeTiming(timing);
  return { times, description: times.length > 0 ? description : `${description}: this never comes` };
}
