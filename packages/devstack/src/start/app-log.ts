import { createReadStream, watchFile } from 'node:fs';
import { createInterface } from 'node:readline';

const MAX_LENGTH = 300;

/** Prints the warnings and errors of an app as they are written to its log. */
export function showWarnings(name: string, file: string, warn: (line: string) => void): void {
  watchFile(file, { interval: 1_000, persistent: false }, async (now, before) => {
    if (now.size <= before.size) return;
    const added = createReadStream(file, { start: before.size, end: now.size - 1 });
    for await (const line of createInterface({ input: added }))
      if (/"level":"(warn|error)"/.test(line)) warn(`${name} ${line.slice(0, MAX_LENGTH)}`);
  });
}
