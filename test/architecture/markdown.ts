import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './sources.js';

/** A document at the root, without its code blocks. Throws if it is not there. */
export function readDocument(name: string): string {
  if (!existsSync(join(ROOT, name))) throw new Error(`${name} is not written yet`);
  return readFileSync(join(ROOT, name), 'utf8').replace(/^ *```[\s\S]*?^ *```/gm, '');
}

/** The code blocks of a language below a heading, up to the next heading of its level or a higher one. Throws without any. */
export function codeBlocks(name: string, heading: string, language: string): string[] {
  const blocks: string[][] = [];
  let level = 0; // of the heading, once it has been found
  let block: string[] | null = null;
  for (const line of readFileSync(join(ROOT, name), 'utf8').split('\n')) {
    if (block && line !== '```') block.push(line);
    else if (block) block = null;
    else if (line.startsWith('```')) {
      block = [];
      if (level > 0 && line === `\`\`\`${language}`) blocks.push(block);
    } else {
      const [, marks = '', text = ''] = /^(#+) (.*)$/.exec(line) ?? [];
      if (level > 0 && marks && marks.length <= level) break;
      if (text === heading) level = marks.length;
    }
  }
  if (blocks.length === 0) throw new Error(`${name} has no ${language} block below "${heading}"`);
  return blocks.map((lines) => lines.join('\n'));
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
