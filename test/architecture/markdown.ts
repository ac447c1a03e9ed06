import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './sources.js';

/** The documents that tests read. */
export const DOCS = {
  readme: 'README.md',
  contributing: 'CONTRIBUTING.md',
  start: 'docs/start.md',
  jobs: 'docs/jobs.md',
  limits: 'docs/limits.md',
  receiveEvents: 'docs/receive-events.md',
  handlers: 'docs/handlers.md',
  api: 'docs/api.md',
  client: 'docs/client.md',
  ci: 'docs/ci.md',
  migrate: 'docs/migrate.md',
  cli: 'docs/cli.md',
  jobTypes: 'docs/job-types.md',
  permissions: 'docs/permissions.md',
  deploy: 'docs/deploy.md',
  configuration: 'docs/configuration.md',
  monitoring: 'docs/monitoring.md',
  restore: 'docs/backup-and-restore.md',
  index: 'docs/README.md',
  overview: 'docs/architecture/overview.md',
  glossary: 'docs/architecture/glossary.md',
  guarantees: 'docs/measurements/guarantees.md',
} as const;

/** The text of a document, without its code blocks. Throws if the document does not exist. */
export function readDocument(name: string): string {
  return readRaw(name).replace(/^ *```[\s\S]*?^ *```/gm, '');
}

/** The text of a document as it is in the file. Throws if the document does not exist. */
export function readRaw(name: string): string {
  if (!existsSync(join(ROOT, name))) throw new Error(`the document ${name} does not exist`);
  return readFileSync(join(ROOT, name), 'utf8');
}

/**
 * The code blocks of a language below a heading, up to the next heading of the same or a higher level.
 * Throws if there is none.
 */
export function codeBlocks(name: string, heading: string, language: string): string[] {
  const blocks: string[][] = [];
  let level = 0; // the level of the heading, once it is found
  let block: string[] | null = null;
  for (const line of readRaw(name).split('\n')) {
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

/** The texts between single backticks. */
export function codeSpans(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
}

/** Every table of a text as rows of trimmed cells: the header first, without the separator line. */
export function tables(text: string): string[][][] {
  return [...text.matchAll(/(?:^ *\|.*\n?)+/gm)].map(([table]) =>
    table
      .trim()
      .split('\n')
      .filter((_line, i) => i !== 1)
      .map(cells),
  );
}

/**
 * The rows, without headers, of all tables of a document whose columns begin with these names.
 * Throws if there is no such table.
 */
export function tableRows(name: string, ...columns: string[]): string[][] {
  const found = tables(readDocument(name)).filter(([header]) => columns.every((column, i) => header?.[i] === column));
  if (found.length === 0) throw new Error(`${name} has no table whose columns begin with ${columns.join(' | ')}`);
  return found.flatMap((table) => table.slice(1));
}

/** `\|` is a bar inside a cell. */
function cells(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
