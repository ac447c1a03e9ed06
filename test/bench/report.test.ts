import { expect, test } from 'vitest';
import { chart } from './chart.js';
import { readOptions } from './options.js';
import { report } from './report.js';
import type { Results } from './results.js';
import type { System, SystemName } from './system.js';
import type { Figures } from './turn.js';

const facts = { date: '2026-11-21', machine: '2 cores', versions: 'Node 20', loadLimit: 50_000 };
const options = readOptions([]);

test('a target is reached when the median over the rounds of the ratio reaches it', () => {
  const text = report(resultsOf({ jobline: [400, 1_200, 600], 'pg-boss': [100, 1_000, 300] }), facts, options);

  expect(rowOf(text, 'end to end beside pg-boss')).toBe('**2.00×** (1.20–4.00) | ≥ 2× | yes');
});

test('a target is missed below it, and left open where a peer was not measured', () => {
  const text = report(resultsOf({ jobline: [199], 'pg-boss': [100] }), facts, options);

  expect(rowOf(text, 'end to end beside pg-boss')).toBe('**1.99×** (1.99–1.99) | ≥ 2× | **no**');
  expect(rowOf(text, 'end to end beside graphile-worker')).toBe('– | ≥ 3× |');
});

test('the picture has a bar with its ratio for every comparison that was measured', () => {
  const picture = chart(resultsOf({ jobline: [300], 'pg-boss': [100] }));

  expect(picture.match(/class="bar"/g)).toHaveLength(1);
  expect(picture).toContain('3.00×');
});

test('results are written by a whole run only', () => {
  expect(readOptions([]).writesResults).toBe(true);
  for (const argument of ['--quick', '--only=accept', '--systems=jobline', '--rounds=2']) {
    expect(readOptions([argument]).writesResults).toBe(false);
  }
});

test('a system or phase that there is not is refused, and so is an unknown argument', () => {
  for (const argument of ['--only=acept', '--systems=sidekiq', '--rounds=0', '--fast']) {
    expect(() => readOptions([argument])).toThrow();
  }
});

/** From end to end alone, round by round. */
function resultsOf(e2e: Partial<Record<SystemName, number[]>>): Results {
  return new Map(
    Object.entries(e2e).map(([name, values]) => {
      const system: System = {
        name: name as SystemName, // a key of the record above
        settings: '',
        start: () => Promise.reject(new Error('not in this test')),
      };
      return [system, values.map((value) => ({ figures: { e2e: value } satisfies Figures, memory: [] }))];
    }),
  );
}

function rowOf(text: string, title: string): string | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`| ${title} |`));
  return line?.slice(`| ${title} | `.length).replace(/ \|$/, '').trim();
}
