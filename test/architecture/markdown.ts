import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './sources.js';

/** A document at the root, without its code blocks. Throws if it is not there. */
export function readDocument(name: string): string {
  if (!existsSync(join(ROOT, name))) throw new Error(`${name} is not written yet`);
  return readFileSync(join(ROOT, name), 'utf8').replace(/^ *```[\s\S]*?^ *```/gm, '');
}

/** What a document has between single backticks. */
export function codeSpans(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
}

/** Every table of a document as rows of trimmed cells, its header first and without the line below that. */
export function tables(text: string): string[][][] {
  return [...text.matchAll(/(?:^ *\|.*\n?)+/gm)].map(([table]) =>
    table
      .trim()
      .split('\n')
      .filter((_line, i) => i !== 1)
      .map(cells),
  );
}

/** `\|` is a bar inside a cell. */
function cells(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
