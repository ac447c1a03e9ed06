import { invoice } from './invoice.js';
import { receipt } from './receipt.js';
import { report } from './report.js';

/** The documents that everybody has: name → Liquid. Every variable of theirs has a default. */
export const builtInTemplates: ReadonlyMap<string, string> = new Map([
  ['invoice', invoice],
  ['receipt', receipt],
  ['report', report],
]);
