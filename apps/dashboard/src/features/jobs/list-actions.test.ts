import { JoblineError } from '@jobline/client';
import { describe, expect, it } from 'vitest';
import { resultSentence, sendEach } from './list-actions.js';

const errorWith = (status: number) => new JoblineError({ code: 'conflict', status, message: 'No.' });

describe('requests for several jobs', () => {
  it('every request is sent, six at a time', async () => {
    let running = 0;
    let most = 0;
    const ids = Array.from({ length: 20 }, (_, i) => String(i));
    const { taken } = await sendEach(ids, async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
    });

    expect(most).toBe(6);
    expect(taken.sort()).toEqual(ids.sort());
  });

  it('the summary distinguishes jobs that had changed from requests that failed', async () => {
    const result = await sendEach(['a', 'b', 'c', 'd'], async (id) => {
      if (id === 'b') throw errorWith(409);
      if (id === 'c') throw errorWith(503);
    });

    expect(resultSentence(result, 'retried')).toBe('2 retried, 1 had already changed, 1 request failed');
    expect(result.reason).toBe('No.');
    expect(resultSentence({ ...result, taken: [], failed: [] }, 'retried')).toBe('1 had already changed');
    const running = { taken: ['a', 'b', 'c'], changed: [], failed: [], reason: null };
    expect(resultSentence(running, 'canceled', 2)).toBe('1 canceled, 2 asked to stop');
    expect(resultSentence(running, 'canceled', 3)).toBe('3 asked to stop');
  });
});
