import { PermanentError } from '@jobline/handlers/errors';
import { afterAll, expect, test } from 'vitest';
import { createLiquid } from './liquid-pool.js';

/** No template ends by this limit. */
const liquid = createLiquid({ renderLimitMs: 600_000 });
const limited = createLiquid({ renderLimitMs: 500, pauseMs: 0 });
type OrgId = Parameters<typeof liquid.fill>[0];
const orgId = 'an organization' as OrgId;
afterAll(() => Promise.all([liquid.close(), limited.close()]));

/** Reading this takes seconds, which no limit of the engine's counts. */
const ENDLESS_TO_PARSE = `{% liquid\n${'echo a\n'.repeat(140_000)}%}`;

test('texts are filled, with their issues and what they miss', async () => {
  const [filled, missing, issue, names] = await Promise.all([
    liquid.fill(orgId, '{{ x }}', { x: '<' }, 'html'),
    liquid.fill(orgId, '{{ y }}', {}, 'text'),
    liquid.fill(orgId, '{{ x | nope }}', {}, 'html').catch((error: unknown) => error),
    liquid.variables(orgId, '{{ a }}'),
  ]);

  expect(filled).toEqual({ text: '&lt;', missing: [] });
  expect(missing).toEqual({ text: '', missing: ['y'] });
  expect(issue).toBeInstanceOf(PermanentError);
  expect(issue).toMatchObject({
    code: 'invalid_payload',
    message: 'the template cannot be rendered: undefined filter: nope, line:1, col:1',
  });
  expect(names).toEqual(['a']);
});

test('a template that takes long to read is ended, holds up nothing but the templates after it, and they are filled', async () => {
  let turns = 0;
  const counting = setInterval(() => turns++, 10);
  const [endless, next] = await Promise.all([
    limited.fill(orgId, ENDLESS_TO_PARSE, {}, 'html').catch((error: unknown) => error),
    limited.fill(orgId, '{{ x }}', { x: 1 }, 'html'),
  ]);
  clearInterval(counting);

  expect(endless).toMatchObject({ code: 'invalid_payload', message: expect.stringContaining('it takes too long') });
  expect(next.text).toBe('1');
  // A template that held up the process would let it turn once at most.
  expect(turns).toBeGreaterThan(3);
});

test('a rendering without an end is ended by its own limit', async () => {
  const items = Array.from({ length: 10_000 }, (_, n) => n);
  const work = limited.fill(
    orgId,
    '{% for i in items %}{% for j in items %}{% endfor %}{% endfor %}',
    { items },
    'html',
  );

  await expect(work).rejects.toThrow(/template render limit exceeded/);
});
