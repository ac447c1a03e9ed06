import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fillText } from './liquid.js';

/** No template reaches this limit. */
const LIMIT_MS = 3_600_000;
const render = (source: string, data: object) =>
  fillText({ source, dataJson: JSON.stringify(data), format: 'text', renderLimitMs: LIMIT_MS }).text;

describe('the date filters', () => {
  const FORMAT = '%-d %B %Y %H:%M %z';
  const shown = (value: string | number, timezone?: string) =>
    fillText({
      source: `{{ x | date: "${FORMAT}" }}`,
      dataJson: JSON.stringify({ x: value }),
      format: 'text',
      renderLimitMs: LIMIT_MS,
      document: { timezone },
    }).text;

  test.each<[string | number, string]>([
    ['2026-03-31T00:00:00+03:00', '31 March 2026 00:00 +0300'],
    ['2026-02-28T20:00-05:00', '28 February 2026 20:00 -0500'],
    ['2026-03-01T00:30:00+05:45', '1 March 2026 00:30 +0545'],
    ['Tue, 31 Mar 2026 23:00:00 -0800', '31 March 2026 23:00 -0800'],
    ['2026-03-01 00:30', '1 March 2026 00:30 +0000'],
    ['2026-03-31', '31 March 2026 00:00 +0000'],
    ['2026-03-31T21:00:00Z', '31 March 2026 21:00 +0000'],
    ['03/31/2026', '31 March 2026 00:00 +0000'],
    [1_774_915_200, '31 March 2026 00:00 +0000'],
    ['On receipt', 'On receipt'],
  ])('print %j as it is written', (value, text) => {
    expect(shown(value)).toBe(text);
  });

  test.each<[string | number, string]>([
    ['2026-03-31T00:00:00+03:00', '30 March 2026 17:00 -0400'],
    ['2026-03-01T00:30:00Z', '28 February 2026 19:30 -0500'],
    ['2026-03-01 00:30', '1 March 2026 00:30 +0000'],
    ['2026-03-31', '31 March 2026 00:00 +0000'],
    [1_774_915_200, '31 March 2026 00:00 +0000'],
  ])('move only a time with an offset to the time zone: %j', (value, text) => {
    expect(shown(value, 'America/New_York')).toBe(text);
  });

  test('every date filter prints the same day, and prefers the zone that the template names', () => {
    const x = '2026-03-31T00:00:00+03:00';

    expect(render('{{ x | date_to_string }} {{ x | date_to_long_string }}', { x })).toBe('31 Mar 2026 31 March 2026');
    expect(render('{{ x | date_to_xmlschema }} {{ x | date_to_rfc822 }}', { x })).toBe(
      '2026-03-31T00:00:00+03:00 Tue, 31 Mar 2026 00:00:00 +0300',
    );
    expect(render('{{ x | date: "%Y-%m-%d %H:%M", "Asia/Tokyo" }} {{ x | date: "%s" }}', { x })).toBe(
      '2026-03-31 06:00 1774904400',
    );
  });
});

test('the examples of filters in the documentation are true', () => {
  const docs = readFileSync(new URL('../../../../docs/messaging.md', import.meta.url), 'utf8');
  const examples = [...docs.matchAll(/^\|[^|]*\| `(\{\{.+\}\})` \| `(.+)` \|$/gm)];

  expect(examples.length).toBeGreaterThan(8);
  for (const [, source = '', result] of examples)
    expect(render(source.replaceAll('\\|', '|'), {}).replaceAll('\u00a0', ' '), source).toBe(result);
});
