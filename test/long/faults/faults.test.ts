import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ROOT } from './deployment.js';
import { faults } from './injections/index.js';
import { withResults } from './report/results.js';
import { type Row, tableOf } from './report/table.js';
import { runFault } from './run-fault.js';

/** A shorter form: FAULT_JOBS=5000. */
const JOBS = Number(process.env.FAULT_JOBS ?? 100_000);
const TEST_MS = 3_600_000;
const PAGE = join(ROOT, 'docs/measurements/faults.md');

const rows: Row[] = [];
let passed = 0;

afterAll(() => {
  console.log(tableOf(rows));
  const machine = `${cpus().length} processors with ${Math.round(totalmem() / 2 ** 30)} GiB of memory`;
  const date = new Date().toISOString().slice(0, 10);
  const isComplete = passed === faults.length;
  const page = withResults(readFileSync(PAGE, 'utf8'), { rows, jobs: JOBS, isComplete, date, machine });
  if (page) writeFileSync(PAGE, page);
});

it.each(faults)(
  'no job is lost, stuck or run without reason: $name',
  async (fault) => {
    const { summary, problems } = await runFault(fault, JOBS);
    const row = { name: fault.name, summary };
    rows.push(row);
    const interruptions = [...summary.interruptions].map(([reason, count]) => `${count} times: ${reason}`);
    console.log([tableOf([row]), ...interruptions, ...summary.examples, ...problems].join('\n'));
    const { findings, examples, accepted, finished } = summary;
    expect({ findings: Object.fromEntries(findings), examples, problems }).toEqual({
      findings: {},
      examples: [],
      problems: [],
    });
    expect(accepted).toBeGreaterThanOrEqual(JOBS);
    expect(finished).toBe(accepted);
    passed++;
  },
  TEST_MS,
);
