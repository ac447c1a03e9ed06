import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes variables for other shells, which only this user can read. Returns the path of the file. */
export function writeEnvFile(dataDir: string, variables: Readonly<Record<string, string>>): string {
  const file = join(dataDir, 'env');
  // A new file has this mode from its first byte; an existing one would keep its own.
  const draft = `${file}.${process.pid}`;
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  writeFileSync(draft, lines.join(''), { mode: 0o600 });
  renameSync(draft, file);
  return file;
}

/** One word of sh. */
export function quoted(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
