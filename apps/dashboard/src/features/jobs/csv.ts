import { saveBlob } from '../../product/save-blob.js';
import type { ColumnName, Job } from './model.js';

type Value = (job: Job) => string | number | undefined;

const FIELDS: Record<ColumnName | 'Status' | 'Job', Readonly<Record<string, Value>>> = {
  Status: { status: ({ status }) => status },
  Type: { type: ({ type }) => type, tags: ({ tags }) => tags?.join(' ') },
  Job: { id: ({ id }) => id },
  Details: {
    about: ({ about }) => about,
    error_code: ({ error }) => error?.code,
    error_message: ({ error }) => error?.message,
  },
  Retries: { retries: ({ retries }) => retries, max_retries: (job) => job.max_retries },
  Duration: { duration_ms: (job) => job.duration_ms },
  Created: { created_at: (job) => job.created_at },
  Updated: { updated_at: (job) => job.updated_at },
};

/** Saves these jobs as a file, with the fields of the columns. */
export function saveCsv(jobs: readonly Job[], columns: readonly ColumnName[]): void {
  const day = new Date().toISOString().slice(0, 10);
  saveBlob(new Blob([csvOf(jobs, columns)], { type: 'text/csv' }), `jobs-${day}.csv`);
}

/** The jobs as CSV (RFC 4180). It begins with a byte order mark: without it, Excel does not read UTF-8. */
export function csvOf(jobs: readonly Job[], columns: readonly ColumnName[]): string {
  const fields = (['Status', 'Job', ...columns] as const).flatMap((name) => Object.entries(FIELDS[name]));
  const lines = [fields.map(([name]) => name), ...jobs.map((job) => fields.map(([, value]) => cellOf(value(job))))];
  return `\uFEFF${lines.map((line) => `${line.join()}\r\n`).join('')}`;
}

/** Spreadsheets run a text that begins like a formula, unless an apostrophe precedes it. */
function cellOf(value: string | number | undefined): string {
  const text = String(value ?? '').replace(/^[=+\-@\t\r]/, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
