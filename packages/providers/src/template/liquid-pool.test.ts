import { PermanentError } from '@jobline/handlers/errors';
import { afterAll, expect, test } from 'vitest';
import { createLiquid } from './liquid-pool.js';

/** No template reaches this limit. */
const liquid = createLiquid({ renderLimitMs: 600_000 });
const limited = createLiquid({ renderLimitMs: 500, pauseMs: 0 });
type OrgId = Parameters<typeof liquid.fill>[0];
const orgId = 'an organization' as OrgId;
afterAll(() => Promise.all([liquid.close(), limited.close()]));

/** Parsing this takes seconds, which no limit of the engine covers. */
const ENDLESS_TO_PARSE = `{% liquid\n${'echo a\n'.repeat(140_000)}%}`;

test('the pool returns filled texts, missing variables and template errors', async () => {
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

test.each([
  [{ body: 'a < b' }, { html: null, text: 'a < b' }],
  [{ body: '<p>a</p>' }, { html: '<p>a</p>', text: 'a' }],
  [{ text: '<p>a</p>' }, { html: null, text: '<p>a</p>' }],
  [{ html: 'a &amp; b' }, { html: 'a &amp; b', text: 'a & b' }],
  [
    { html: '<p>a</p>', text: 'other' },
    { html: '<p>a</p>', text: 'other' },
  ],
])('the texts %o of an email become the parts %o', async (texts, parts) => {
  expect(await liquid.readEmailTexts(orgId, texts)).toEqual(parts);
});

test('a template that takes too long to parse is ended and delays only the templates after it', async () => {
  let turns = 0;
  const counting = setInterval(() => turns++, 10);
  const [endless, next] = await Promise.all([
    limited.fill(orgId, ENDLESS_TO_PARSE, {}, 'html').catch((error: unknown) => error),
    limited.fill(orgId, '{{ x }}', { x: 1 }, 'html'),
  ]);
  clearInterval(counting);

  expect(endless).toMatchObject({ code: 'invalid_payload', message: expect.stringContaining('it takes too long') });
  expect(next.text).toBe('1');
  // A template that blocked the process would allow only one turn of the event loop.
  expect(turns).toBeGreaterThan(3);
});

test('the sums of a large invoice are computed in the child process', async () => {
  const items = Array.from({ length: 5_000 }, () => ({ quantity: 3, unit_price: 0.125 }));
  const document = { builtIn: 'invoice' } as const;
  const { text } = await liquid.fill(
    orgId,
    '{{ sums.total }}',
    { items, currency: 'KWD' },
    'document',
    undefined,
    document,
  );
  const refused = liquid.fill(orgId, '', { items: [{ amount: '1,200' }] }, 'document', undefined, document);

  expect(text).toBe('KWD\u00a01,875.000');
  await expect(refused).rejects.toBeInstanceOf(PermanentError);
  await expect(refused).rejects.toMatchObject({
    code: 'invalid_payload',
    message: expect.stringMatching(/^data\.items\[0\]\.amount "1,200" has two readings/),
  });
});

test('a document with too many items is ended by its time limit, and this process is not blocked', async () => {
  let turns = 0;
  const counting = setInterval(() => turns++, 10);
  const hurried = createLiquid({ renderLimitMs: -990, pauseMs: 0 });
  const items = Array.from({ length: 30_000 }, () => ({ amount: '1,200.50' }));
  const ended = hurried.fill(orgId, '', { items }, 'document', undefined, { builtIn: 'invoice' });

  await expect(ended).rejects.toMatchObject({
    code: 'invalid_payload',
    message: expect.stringContaining('it takes too long'),
  });
  clearInterval(counting);
  await hurried.close();
  expect(turns).toBeGreaterThan(3);
});

test('an endless rendering is ended by the render limit', async () => {
  const items = Array.from({ length: 10_000 }, (_, n) => n);
  const work = limited.fill(
    orgId,
    '{% for i in items %}{% for j in items %}{% endfor %}{% endfor %}',
    { items },
    'html',
  );

  await expect(work).rejects.toThrow(/template render limit exceeded/);
});
