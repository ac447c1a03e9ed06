import { pause } from '@jobline/runtime';
import { send } from './history/http.js';
import type { Records } from './history/records.js';
import { bodyOf, MIX_SIZE } from './mix.js';

/** Callers that submit jobs at a constant rate, whatever happens to the service. */
export interface Load {
  /** Resolves when so many jobs are accepted. */
  until(accepted: number): Promise<void>;
  /** Resolves when all are accepted. */
  done: Promise<void>;
  /** The error responses other than 503, by status. */
  unexpected: ReadonlyMap<number, string>;
}

export interface LoadOptions {
  records: Records;
  /** The API processes that run. */
  urls(): readonly string[];
  key: string;
  recorderUrl: string;
  total: number;
  perSecond: number;
}

/** Groups that are submitted at the same time. */
const MAX_RUNNING = 24;
/** How long a caller waits after an error before it submits again. */
const BACK_OFF_MS = 250;

/** Numbers that a load may need: an outage uses up some of them. */
export function capacityFor(total: number): number {
  return 2 * total + 200 * MIX_SIZE;
}

export function startLoad(options: LoadOptions): Load {
  const { records, urls, key, recorderUrl, total, perSecond } = options;
  const headers = { 'x-api-key': key };
  const unexpected = new Map<number, string>();
  const waiting: { accepted: number; resolve: () => void }[] = [];
  let groups = 0;
  let calls = 0;

  const post = async (path: string, body: object, more: Record<string, string> = {}) => {
    const all = urls();
    const answer = await send(`${all[calls++ % all.length]}${path}`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body,
    });
    if (answer.status !== null && answer.status !== 202 && answer.status !== 503)
      unexpected.set(answer.status, answer.text);
    return answer;
  };

  /** Both return whether the jobs were accepted. */
  async function submitSingly(n: number): Promise<boolean> {
    const answer = await post('/jobs', bodyOf(n, recorderUrl));
    if (answer.status === 202) records.accepted(n, JSON.parse(answer.text).id);
    else records.rejected(n);
    return answer.status === 202;
  }

  async function submitTogether(numbers: readonly number[], isRepeated: boolean): Promise<boolean> {
    const jobs = numbers.map((n) => bodyOf(n, recorderUrl));
    const more = isRepeated ? { 'idempotency-key': `group-${numbers[0]}` } : undefined;
    let answer = await post('/jobs/batch', { jobs }, more);
    // The key makes it safe to repeat a request whose outcome is unknown.
    while (isRepeated && answer.status !== 202) {
      await pause(BACK_OFF_MS);
      answer = await post('/jobs/batch', { jobs }, more);
    }
    const ids: { id: string }[] = answer.status === 202 ? JSON.parse(answer.text).jobs : [];
    for (const [i, n] of numbers.entries()) {
      const id = ids[i]?.id;
      if (id === undefined) records.rejected(n);
      else records.accepted(n, id);
    }
    return answer.status === 202;
  }

  async function submitGroup(): Promise<void> {
    const group = groups++;
    const numbers = Array.from({ length: MIX_SIZE }, (_, i) => group * MIX_SIZE + i);
    if ((group + 1) * MIX_SIZE > records.capacity) throw new Error('too many submissions were rejected');
    const results =
      group % 4 === 0 ? await Promise.all(numbers.map(submitSingly)) : [await submitTogether(numbers, group % 4 === 1)];
    const { accepted } = records.counts();
    for (const one of waiting.splice(0)) {
      if (one.accepted <= accepted) one.resolve();
      else waiting.push(one);
    }
    if (!results.every(Boolean)) await pause(BACK_OFF_MS);
  }

  async function submitSteadily(): Promise<void> {
    const running = new Set<Promise<void>>();
    while (records.counts().accepted < total) {
      const group = submitGroup().finally(() => running.delete(group));
      running.add(group);
      await pause((MIX_SIZE * 1_000) / perSecond);
      while (running.size >= MAX_RUNNING) await Promise.race(running);
    }
    await Promise.all(running);
  }

  return {
    unexpected,
    until: (accepted) => new Promise((resolve) => void waiting.push({ accepted, resolve })),
    done: submitSteadily(),
  };
}
