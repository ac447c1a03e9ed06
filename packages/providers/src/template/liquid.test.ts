import { PermanentError } from '@jobline/handlers/errors';
import type { Liquid, TemplateFormat } from '@jobline/handlers/ports';
import { describe, expect, test } from 'vitest';
import { fillText, variablesOf } from './liquid.js';

type Data = Parameters<Liquid['fill']>[2];

/** No template reaches this limit. */
const UNLIMITED_MS = 3_600_000;
const LIMITED_MS = 500;

const fill = (source: string, data: Data, format: TemplateFormat, renderLimitMs = UNLIMITED_MS) =>
  fillText({ source, dataJson: JSON.stringify(data), format, renderLimitMs });
const variables = (source: string) => variablesOf({ source });
const render = (source: string, data: Data): string => fill(source, data, 'html').text;

describe('a template renders', () => {
  test.each<[string, Data, string]>([
    ['Hello {{ name }}', { name: 'Ada' }, 'Hello Ada'],
    ['{% for i in items %}{{ i.n }},{% endfor %}', { items: [{ n: 1 }, { n: 2 }] }, '1,2,'],
    ['{{ missing.deep.down }}|{{ x | default: "y" }}', {}, '|y'],
    ['{{ "2026-11-21" | date: "%-d %B %Y" }}', {}, '21 November 2026'],
    ['{{ "On receipt" | date: "%-d %B %Y" }}', {}, 'On receipt'],
    ['{{ 1234.5 | money }} {{ 7 | money: "kes" }}', {}, '$1,234.50 KES\u00a07.00'],
    ['{{ "1.200,50" | decimal | times: 2 | money: "EUR" }}', {}, '€2,401.00'],
    ['{{ x | decimal: "EUR", locale: "de" | plus: 1 }}', { x: '1.200' }, '1201'],
    ['{% assign d = x | decimal %}{% if d == 0 %}none{% endif %}', { x: '0.00' }, 'none'],
  ])('%s', (source, data, text) => {
    expect(render(source, data)).toBe(text);
  });

  test('data escaped in every position', () => {
    const evil = `"><script>'&`;
    const escaped = '&#34;&gt;&lt;script&gt;&#39;&amp;';

    expect(render('<a b="{{ x }}">{{ x | append: "" }}{% capture y %}{{ x }}{% endcapture %}</a>', { x: evil })).toBe(
      `<a b="${escaped}">${escaped}</a>`,
    );
    expect(render('{% assign y = x %}{% echo y %}{% liquid echo x %}', { x: evil })).toBe(escaped + escaped);
  });

  // Each of these filters would let the author of the data write HTML, or the author of the template read unescaped
  // data.
  test.each(['{{ x | raw }}', '{% assign y = x | raw %}{{ y }}'])('cannot undo that: %s', (source) => {
    expectRefused(source, { x: '<b>' }, 'undefined filter: raw');
  });
});

test('what a built-in document cannot compute is named without the template', () => {
  const request = {
    source: '',
    dataJson: '{"paid":"1,000"}',
    format: 'document',
    renderLimitMs: UNLIMITED_MS,
  } as const;

  expect(() => fillText({ ...request, document: { builtIn: 'invoice' } })).toThrow(
    /^data\.paid "1,000" has two readings, 1000 and 1: /,
  );
});

test('plain text is not escaped, because it is not read as HTML', () => {
  expect(fill('{{ x }}', { x: `Tom & Jerry's <b>` }, 'text').text).toBe(`Tom & Jerry's <b>`);
  expectRefused('{{ x | raw }}', {}, 'undefined filter: raw', 'text');
});

describe('a variable that the data lacks', () => {
  test.each<[string, Data, string[]]>([
    ['{{ a }} {{ b }} {{ a }}', { b: 1 }, ['a']],
    ['{{ user.first }} {{ user.last.x }}', { user: { first: '' } }, ['user.last']],
    ['{% for i in items %}{{ i.n }}{% endfor %}{{ z }}', { items: [{ n: 1 }, {}] }, ['i.n', 'z']],
    ['{% for i in items %}{% endfor %}', {}, ['items']],
    ['{{ a | upcase }}{{ "x" | append: b }}{{ list[c] }}', { list: [] }, ['a', 'b', 'c']],
    ['{% if a.b == 1 %}{{ c }}{% else %}{{ d }}{% endif %}', { a: { b: 2 } }, ['d']],
  ])('is reported: %s with %j', (source, data, missing) => {
    expect(fill(source, data, 'html').missing).toEqual(missing);
    expect(fill(source, data, 'text').missing).toEqual(missing);
  });

  test.each<[string, Data]>([
    ['{{ a }}{{ b }}{{ c }}{{ d }}', { a: null, b: '', c: 0, d: false }],
    ['{% if a %}x{% endif %}{% unless b %}y{% endunless %}', {}],
    ['{{ a | default: "x" }}', {}],
    ['{% for i in (1..2) %}{{ forloop.index }}{{ i }}{% endfor %}{% assign x = 1 %}{{ x }}', {}],
    ['{{ list.size }}{{ text.size }}{{ list.first }}', { list: [1], text: 'x' }],
  ])('is not reported if it is only tested, assigned in the template, or present: %s', (source, data) => {
    expect(fill(source, data, 'html').missing).toEqual([]);
  });

  test('is reported with at most 99 others', () => {
    const source = Array.from({ length: 150 }, (_, n) => `{{ v${n} }}`).join('');

    expect(fill(source, {}, 'text').missing).toHaveLength(100);
  });
});

test('the variables of a template are those that it reads from its data', () => {
  expect(variables('{{ a.b }}{% for i in items %}{{ i.n }}{% endfor %}{% assign x = c %}{{ x }}{{ a.d }}')).toEqual([
    'a',
    'items',
    'c',
  ]);
  expect(variables('')).toEqual([]);
});

describe('a template cannot access anything except its data', () => {
  test.each([
    '{{ x.constructor }}',
    '{{ x.constructor.name }}',
    '{{ x.__proto__ }}',
    '{{ constructor }}{{ __proto__ }}{{ toString }}{{ process.env }}{{ global }}',
    '{{ x["__proto__"]["polluted"] }}',
    '{{ list.constructor }}{{ list.map }}',
    '{{ "a".constructor }}',
  ])('%s is empty', (source) => {
    expect(render(source, { x: { a: 1 }, list: [1] })).toBe('');
  });

  test.each([
    '{% include "/etc/passwd" %}',
    '{% render "/etc/passwd" %}',
    '{% layout "/etc/passwd" %}',
    '{% render x %}',
    '{% include x %}',
  ])('%s is rejected', (source) => {
    expectRefused(source, { x: '../../../etc/passwd' }, /a template cannot include another one/);
  });

  test('a name such as __proto__ in the data is only a name', () => {
    const data: Data = JSON.parse('{"__proto__": {"a": 1}, "b": 2}');

    expect(render('{{ a }}{{ b }}', data)).toBe('2');
  });
});

/** A template of 141 bytes. */
const TINY =
  '{% assign s = "xxxxxxxxxxxxxxxx" %}{% for i in (1..18) %}{% assign s = s | append: s %}{% endfor %}{% for i in (1..100) %}{{ s }}{% endfor %}';
const MANY_TIMES = '{% for i in (1..170) %}{{ x }}{% endfor %}';
const LONG: Data = { x: 'x'.repeat(900_000) };

describe('a template is stopped if it has', () => {
  test.each([
    ['a loop with a billion iterations', '{% for i in (1..1000000000) %}x{% endfor %}'],
    [
      'nested loops',
      '{% for a in (1..9999) %}{% for b in (1..9999) %}{% for c in (1..9999) %}{% endfor %}{% endfor %}{% endfor %}',
    ],
    ['a text that doubles', `{% assign x = "0123456789" %}${'{% assign x = x | append: x %}'.repeat(64)}{{ x }}`],
    [
      'a list that doubles',
      `{% assign x = "a,b" | split: "," %}${'{% assign x = x | concat: x %}'.repeat(64)}{{ x | size }}`,
    ],
    [
      'nested tables',
      '{% tablerow i in (1..100000) %}{% tablerow j in (1..100000) %}x{% endtablerow %}{% endtablerow %}',
    ],
    ['a template of 2 MiB', 'x'.repeat(2 * 1024 * 1024)],
  ])('%s', (_what, source) => {
    expectRefused(source, {}, /limit exceeded/, 'html', LIMITED_MS);
  });

  test.each<[string, string, Data]>([
    ['140 bytes whose text would be 400 MiB', TINY, {}],
    [
      'many captures',
      `{% for j in (1..3) %}{% capture a %}${MANY_TIMES}{{ j }}{% endcapture %}{% if a contains "z" %}{% endif %}{% endfor %}`,
      LONG,
    ],
    ['nested captures', `{% capture b %}{% capture a %}${MANY_TIMES}{% endcapture %}{% endcapture %}`, LONG],
    [
      'captures of many small texts',
      '{% for i in (1..99999) %}{% capture a %}{{ x | slice: 0, 1000 }}{% endcapture %}{% endfor %}',
      LONG,
    ],
    ['cycles', '{% for i in (1..99999) %}{% cycle x, x %}{% endfor %}', LONG],
    ['tables', `{% tablerow i in (1..99) %}{{ x }}{% endtablerow %}`, LONG],
    ['echoes', '{% for i in (1..99) %}{% liquid echo x %}{% endfor %}', LONG],
    [
      'a list with many copies of a long text',
      `{% assign l = x | split: "~" %}${'{% assign l = l | concat: l %}'.repeat(8)}{{ l }}`,
      LONG,
    ],
    ['a long source text', 'x'.repeat(1_000_000).concat('{{ x }}'), LONG],
    ['multi-byte characters', '{{ x }}{{ x }}', { x: 'é'.repeat(300_000) }],
  ])('too much output: %s', (_what, source, data) => {
    expectRefused(source, data, /limit exceeded/, 'text');
  });

  test('more output than a document may have, which is twice as much', () => {
    const data = { x: 'x'.repeat(1_500_000) };

    expectRefused('{{ x }}', data, /output limit exceeded: the limit is 1048576 bytes/, 'html');
    expect(fill('{{ x }}', data, 'document').text).toHaveLength(1_500_000);
    expectRefused('{{ x }}{{ x }}', data, /output limit exceeded: the limit is 2097152 bytes/, 'document');
  });

  test('a hundred thousand tags', () => {
    expectRefused('{{a}}'.repeat(100_000), {}, /more than 10000 tags/);
    expect(fill('{{a}}'.repeat(5_000), { a: 1 }, 'text').text).toHaveLength(5_000);
  });

  test('extreme nesting', () => {
    const source = '{% if true %}'.repeat(50_000) + '{% endif %}'.repeat(50_000);

    expectRefused(source, {}, /./);
  });

  // Filters cannot be interrupted, so each one must be fast on the largest possible data.
  test.each(heavyFilters())('%s of a megabyte', (filter, value) => {
    const cost = cpuTimeOf(() => {
      expect(() => render(`{{ x | ${filter} }}`, { x: value })).not.toThrow(/undefined filter/);
    });
    // A filter that scans the rest from every position would take hours.
    expect(cost).toBeLessThan(4_000);
  });
});

test.each([
  ['{{ x | nope }}', /undefined filter: nope, line:1, col:1/],
  ['a\n{% if x %}', /tag .* not closed, line:2/],
  ['{% nope %}', /tag "nope" not found/],
  ['{{ x', /not closed/],
])('the error for %s contains its position', (source, message) => {
  expectRefused(source, {}, message);
});

function expectRefused(
  source: string,
  data: Data,
  message: string | RegExp,
  format: TemplateFormat = 'html',
  renderLimitMs = UNLIMITED_MS,
): void {
  const renderError = (): unknown => {
    try {
      return fill(source, data, format, renderLimitMs);
    } catch (error) {
      return error;
    }
  };
  const error = renderError();
  expect(error).toBeInstanceOf(PermanentError);
  expect(error).toMatchObject({
    code: 'invalid_payload',
    message: expect.stringMatching(/^the template cannot be rendered: .+$/s),
  });
  expect(String(error)).toMatch(message);
}

function heavyFilters(): [string, string][] {
  const opener = '<script'.repeat(150_000);
  const spaces = `${' '.repeat(1_000_000)}x`;
  return [
    ['strip_html', opener],
    ['strip_html', '<!--'.repeat(250_000)],
    ['strip', spaces],
    ['rstrip', spaces],
    ['rstrip: " "', spaces],
    ['squish', spaces],
    ['normalize_whitespace', spaces],
    ['truncatewords: 5', spaces],
    ['number_of_words', spaces],
    ['number_of_words: "auto"', spaces],
    ['slugify', '-'.repeat(1_000_000)],
    ['newline_to_br', '\r'.repeat(1_000_000)],
    ['strip_newlines', '\r'.repeat(1_000_000)],
    ['escape_once', '&'.repeat(1_000_000)],
    ['date: "%Y"', ' '.repeat(1_000_000)],
    ['money', '1'.repeat(1_000_000)],
    ['default: 1 | decimal: locale: "de"', spaces],
    ['is_numeric', '1,'.repeat(500_000)],
    ['url_decode', '%'.repeat(1_000_000)],
    ['split: ""', 'x'.repeat(1_000_000)],
    ['replace: "x", "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"', 'x'.repeat(1_000_000)],
  ];
}

/** The CPU time of the step in milliseconds. */
function cpuTimeOf(step: () => void): number {
  const before = process.cpuUsage();
  step();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
