import { expect, it } from 'vitest';
import { sourcesIn } from './sources.js';

/** A select within a select, or an include: Prisma reads the relation with a statement of its own. */
const LOADS_RELATION = /\binclude:\s*\{|\bselect:\s*\{[^{}]*:\s*\{/;

it('no relation is loaded by Prisma, because its row may be deleted between the two statements: what belongs together is joined', () => {
  const loading = sourcesIn('packages/db/src').filter(({ text }) => LOADS_RELATION.test(text));

  expect(loading.map(({ path }) => path)).toEqual([]);
});

it.each([
  'select: { userId: true, membership: { select: { role: true } } }',
  'findMany({ where, include: { org: true } })',
])('%s would be found', (code) => {
  expect(code).toMatch(LOADS_RELATION);
});
