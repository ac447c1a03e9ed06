import { afterAll, expect, it } from 'vitest';
import { faults } from './injections/index.js';
import { runFault } from './run-fault.js';
import { type Row, tableOf } from './table.js';

/** A shorter form: FAULT_JOBS=5000. */
const JOBS = Number(process.env.FAULT_JOBS ?? 100_000);
const TEST_MS = 3_600_000;

const rows: Row[] = [];

afterAll(() => console.log(tableOf(rows)));

it.each(faults)(
  'no job is lost, stuck or run without reason: $name',
  async (fault) => {
    const row = await runFault(fault, JOBS);
    rows.push(row);
    const { findings, examples, problems, accepted, finished } = row.outcome;
    console.log(tableOf([row]));
    expect({ findings: Object.fromEntries(findings), examples, problems }).toEqual({
      findings: {},
      examples: [],
      problems: [],
    });
    expect(accepted).toBeGreaterThanOrEqual(JOBS);
    expect(finished).toBe(accepted);
  },
  TEST_MS,
);
