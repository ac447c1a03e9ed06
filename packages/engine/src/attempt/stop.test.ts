import { expect, it } from 'vitest';
import { createStop } from './stop.js';

const [first, second] = [new Error('first'), new Error('second')];

it('fires once, with the first reason', () => {
  const stop = createStop();
  const calls: string[] = [];
  stop.onFire(() => calls.push('before'));
  expect(stop.reason()).toBeNull();

  stop.fire(first);
  stop.fire(second);
  stop.onFire(() => calls.push('after'));

  expect(stop.reason()).toBe(first);
  expect(calls).toEqual(['before', 'after']);
});

it('has one signal, which is aborted with the same reason, whether it was asked for before or after', () => {
  const [asked, unasked] = [createStop(), createStop()];
  const signal = asked.signal();
  expect(signal.aborted).toBe(false);

  asked.fire(first);
  unasked.fire(second);

  expect(asked.signal()).toBe(signal);
  expect(signal.reason).toBe(first);
  expect(unasked.signal().reason).toBe(second);
});
