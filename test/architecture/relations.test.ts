import { expect, it } from 'vitest';
import { sourcesIn } from './sources.js';

/** A select within a select, or an include: Prisma reads the relation with a second statement. */
const LOADS_RELATION = /\binclude:\s*\{|\bselect:\s*\{[^{}]*:\s*\{/;

it('relations are read by joins and not loaded by Prisma, because a row may be deleted between its two statements', () => {
  const loading = sourcesIn('packages/db/src').filter(({ text }) => LOADS_RELATION.test(text));

  expect(loading.map(({ path }) => path)).toEqual([]);
});

it.each([
  'select: { userId: true, membership: { select: { role: true } } }',
  'findMany({ where, include: { org: true } })',
])('%s would be found', (code) => {
  expect(code).toMatch(LOADS_RELATION);
});
