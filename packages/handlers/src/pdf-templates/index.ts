import { invoice } from './invoice.js';
import { receipt } from './receipt.js';
import { report } from './report.js';

/** The built-in document templates: name → Liquid. All of their variables have defaults. */
export const builtInTemplates: ReadonlyMap<string, string> = new Map([
  ['invoice', invoice],
  ['receipt', receipt],
  ['report', report],
]);
