import { open, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { NewJob } from '../types.js';
import { UsageError } from './exit-codes.js';
import type { Io } from './io.js';

/** A file with one job per line. Empty lines are skipped. */
export interface JobFile {
  /** The number of jobs; null if the file can be read only once. Throws if a line is not a JSON object. */
  count(): Promise<number | null>;
  jobs(): AsyncGenerator<NewJob>;
  /** The line of a job that `jobs` has returned. */
  lineOf(index: number): number;
}

/** Throws UsageError if the file cannot be read. `-` is the standard input. */
export async function openJobFile(path: string, stdin: Io['stdin']): Promise<JobFile> {
  const isRegular = path !== '-' && (await isRegularFile(path));
  const lineNumbers: number[] = [];

  async function* jobs(): AsyncGenerator<NewJob> {
    lineNumbers.length = 0;
    const handle = path === '-' ? null : await open(path);
    const lines = handle ? handle.readLines() : createInterface({ input: stdin });
    let number = 0;
    for await (const line of lines) {
      number++;
      if (line.trim() === '') continue;
      lineNumbers.push(number);
      yield parseJob(line, number);
    }
  }

  return {
    async count() {
      if (!isRegular) return null;
      for await (const _job of jobs());
      return lineNumbers.length;
    },
    jobs,
    lineOf: (index) => lineNumbers[index] ?? 0,
  };
}

async function isRegularFile(path: string): Promise<boolean> {
  try {
    // Not opened: the writer of a pipe would find that its reader has gone.
    const found = await stat(path);
    if (found.isDirectory()) throw new Error('it is a folder');
    return found.isFile();
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

function parseJob(line: string, number: number): NewJob {
  try {
    const job: unknown = JSON.parse(line);
    // The cast: the API checks the fields.
    if (typeof job === 'object' && job !== null && !Array.isArray(job)) return job as NewJob;
  } catch (error) {
    throw new UsageError(`Line ${number} is not JSON: ${error instanceof Error ? error.message : error}.`);
  }
  throw new UsageError(`Line ${number} is not a JSON object.`);
}
