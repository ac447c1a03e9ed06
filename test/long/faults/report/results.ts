import { type Row, tableOf } from './table.js';

/** A finished run of the suite. */
export interface Run {
  rows: readonly Row[];
  /** How many jobs were submitted for each fault. */
  jobs: number;
  /** Whether each fault was caused and nothing was found. */
  isComplete: boolean;
  date: string;
  machine: string;
}

const SECTION = /(?<=\n## Results\n\n)[\s\S]*?(?=\n## |$)/;
const JOBS = /with ([\d,]+) jobs for each fault/;

/**
 * Returns the page with the table of a run. Returns null if the run must not replace the table of the page: if a fault
 * is missing or failed, or if it had fewer jobs.
 */
export function withResults(page: string, { rows, jobs, isComplete, date, machine }: Run): string | null {
  const recorded = Number(JOBS.exec(page)?.[1]?.replaceAll(',', '') ?? 0);
  if (!isComplete || jobs < recorded) return null;
  const intro = `Measured on ${date} with ${jobs.toLocaleString('en-US')} jobs for each fault, on ${machine}.`;
  return page.replace(SECTION, () => `${intro}\n\n${tableOf(rows)}\n`);
}
