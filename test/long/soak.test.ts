import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withTable } from '../growth/report.js';
import { chart } from '../soak/chart.js';
import { growing, table } from '../soak/report.js';
import { finished, forbiddenEnds, runSoak } from '../soak/run-soak.js';

/** A shorter form: SOAK_JOBS=50000 SOAK_MINUTES=5. */
const JOBS = Number(process.env.SOAK_JOBS ?? 1_000_000);
const MINUTES = Number(process.env.SOAK_MINUTES ?? 60);
/** With SOAK_WRITE=1 the table and the plot are written here. */
const DOCUMENT = new URL('../../docs/measurements/soak.md', import.meta.url);
const PLOT = new URL('../../docs/measurements/soak.svg', import.meta.url);
const TEST_MS = 3 * 3_600_000;
const ROWS = 12;

it(
  'memory, connections, open files and tables do not grow while processes are replaced',
  async () => {
    const soak = await runSoak({
      jobs: JOBS,
      minutes: MINUTES,
      samples: Math.max(4, MINUTES),
      onSample: (sample) => console.log(table([sample], 1).split('\n').at(-1)),
    });

    const { samples, replaced, repeated, accepted, ends } = soak;
    const text = `${table(samples, ROWS)}\n\nProcesses replaced: ${replaced}. Requests repeated after a 503 or without a response: ${repeated}.`;
    console.log(text);
    console.table(ends);
    if (process.env.SOAK_WRITE === '1') {
      writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, 'utf8'), text));
      writeFileSync(PLOT, chart(samples, `${accepted.toLocaleString('en')} jobs in ${MINUTES} minutes`));
    }
    expect(soak.unexpected).toEqual([]);
    expect(growing(samples)).toEqual([]);
    expect(finished(soak)).toBe(accepted);
    expect(forbiddenEnds(soak)).toEqual([]);
  },
  TEST_MS,
);
