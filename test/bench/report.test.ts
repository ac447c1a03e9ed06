import { expect, test } from 'vitest';
import { chart } from './chart.js';
import type { Metrics } from './measure-system.js';
import { readOptions } from './options.js';
import { report } from './report.js';
import type { Results } from './results.js';
import type { System, SystemName } from './system.js';

const facts = { date: '2026-11-21', machine: '2 cores', versions: 'Node 20', loadLimit: 50_000 };
const options = readOptions([]);

test('a target is reached when the median over the rounds of the ratio reaches it', () => {
  const text = report(resultsOf({ jobline: [400, 1_200, 600], 'pg-boss': [100, 1_000, 300] }), facts, options);

  expect(rowOf(text, 'end to end vs. pg-boss')).toBe('**2.00×** (1.20–4.00) | ≥ 1.9× | yes');
});

test('a target is missed below it, and open if a peer was not measured', () => {
  const text = report(resultsOf({ jobline: [189], 'pg-boss': [100] }), facts, options);

  expect(rowOf(text, 'end to end vs. pg-boss')).toBe('**1.89×** (1.89–1.89) | ≥ 1.9× | **no**');
  expect(rowOf(text, 'end to end vs. graphile-worker')).toBe('– | ≥ 5× |');
});

test('the chart has a bar with its ratio for every measured comparison', () => {
  const picture = chart(resultsOf({ jobline: [300], 'pg-boss': [100] }));

  expect(picture.match(/class="bar"/g)).toHaveLength(1);
  expect(picture).toContain('3.00×');
});

test('only a complete run writes results', () => {
  expect(readOptions([]).writesResults).toBe(true);
  for (const argument of ['--quick', '--only=accept', '--systems=jobline', '--rounds=2']) {
    expect(readOptions([argument]).writesResults).toBe(false);
  }
});

test('unknown systems, phases and arguments are rejected', () => {
  for (const argument of ['--only=acept', '--systems=sidekiq', '--rounds=0', '--processes=0', '--shards=4', '--fast']) {
    expect(() => readOptions([argument])).toThrow();
  }
});

/** Results with only `e2e`, one value per round. */
function resultsOf(e2e: Partial<Record<SystemName, number[]>>): Results {
  return new Map(
    Object.entries(e2e).map(([name, values]) => {
      const system: System = {
        name: name as SystemName, // a key of the record above
        settings: '',
        start: () => Promise.reject(new Error('not in this test')),
      };
      return [system, values.map((value) => ({ metrics: { e2e: value } satisfies Metrics, memory: [] }))];
    }),
  );
}

function rowOf(text: string, title: string): string | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`| ${title} |`));
  return line?.slice(`| ${title} | `.length).replace(/ \|$/, '').trim();
}
