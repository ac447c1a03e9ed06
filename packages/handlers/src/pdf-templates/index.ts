import type { BuiltInTemplate } from '../ports/documents.js';
import { invoice } from './invoice.js';
import { receipt } from './receipt.js';
import { report } from './report.js';

interface BuiltIn {
  name: BuiltInTemplate;
  /** Liquid. It prints the sums that are computed from the data before it is filled. */
  source: string;
}

/** The built-in document templates by name. All of their variables have defaults. */
export const builtInTemplates: ReadonlyMap<string, BuiltIn> = new Map([
  ['invoice', { name: 'invoice', source: invoice }],
  ['receipt', { name: 'receipt', source: receipt }],
  ['report', { name: 'report', source: report }],
]);
