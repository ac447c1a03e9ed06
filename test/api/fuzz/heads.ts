import fc from 'fast-check';
import { matching, oddText } from './values.js';

/** The name of a row and the path segment that it follows: `jobs` in `/jobs/{id}/logs`. */
export interface Named {
  kind: string;
  name: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a parameter or a schema, read as the document has it
type Operation = any;

const TYPES = [
  '',
  'text/plain',
  'application/json; charset=utf-16',
  'application/json;',
  'multipart/form-data; boundary=x',
  'APPLICATION/JSON',
  'application/x-www-form-urlencoded',
  '\u00ff/\u00ff',
];
const ENCODINGS = ['gzip', 'br', 'identity', 'x'];
const ODD_SEGMENTS = [
  '%00',
  '%ZZ',
  '%C3%28',
  '..',
  '%2e%2e',
  '%2F',
  '%252F',
  '.',
  '*',
  ':id',
  '%F0%9F%98%80',
  '__proto__',
  'x'.repeat(4_000),
  '%20',
  '~',
  '0',
  'null',
];

/** Paths of an operation. Their parameters are mostly names of the right kind. */
export function pathsOf(path: string, parameters: Operation[], names: readonly Named[]): fc.Arbitrary<string> {
  const name = anyName(names);
  const parts = path.split('/').map((part, i, all): fc.Arbitrary<string> => {
    const key = /^\{(\w+)\}$/.exec(part)?.[1];
    if (key === undefined) return fc.constant(part);
    const { schema } = parameters.find((parameter) => parameter.name === key) ?? {};
    const fitting = names.filter(({ kind }) => kind === all[i - 1]).map(({ name }) => name);
    return fc.oneof(
      {
        weight: fitting.length > 0 ? 8 : 0,
        arbitrary: (fitting.length > 0 ? fc.constantFrom(...fitting) : name).map(encoded),
      },
      { weight: 2, arbitrary: name.map(encoded) },
      { weight: 2, arbitrary: matching(schema?.pattern ?? '.').map(encoded) },
      {
        weight: 1,
        arbitrary: fc.oneof(
          fc.constantFrom(...ODD_SEGMENTS),
          oddText.map((text) => encoded(text.slice(0, 300))),
        ),
      },
    );
  });
  return fc.tuple(...parts).map((texts) => texts.join('/'));
}

/** Query strings, including the question mark. */
export function queriesOf(
  parameters: Operation[],
  names: readonly Named[],
  valuesOf: (schema: Operation, key: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<string> {
  const name = anyName(names);
  const known = parameters.filter((parameter) => parameter.in === 'query');
  const pair = ({ name: key, schema }: Operation) =>
    fc
      .oneof({ weight: 4, arbitrary: valuesOf(schema, key) }, oddText, name)
      .map((value) => `${encoded(key)}=${encoded(String(value).slice(0, 300))}`);
  const odd = fc.constantFrom(
    'x=1',
    'limit=1&limit=2',
    '=',
    '&&',
    'a[b]=1',
    '__proto__=1',
    'limit=%ZZ',
    '%00=%00',
    '?',
    `x=${'x'.repeat(20_000)}`,
  );
  const pairs = known.length > 0 ? fc.array(fc.oneof(...known.map(pair)), { maxLength: 3 }) : fc.constant([]);
  return fc.tuple(pairs, rarely(odd)).map(([some, more]) => {
    const all = more === undefined ? some : [...some, more];
    return all.length > 0 ? `?${all.join('&')}` : '';
  });
}

export function headersOf(parameters: Operation[], names: readonly Named[]): fc.Arbitrary<Record<string, string>> {
  const name = anyName(names);
  const visible = oddText.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 500));
  const known = parameters.filter((parameter) => parameter.in === 'header').map((parameter) => parameter.name);
  const odd: [string, fc.Arbitrary<string>][] = [
    ['content-type', fc.constantFrom(...TYPES)],
    ['content-encoding', fc.constantFrom(...ENCODINGS)],
    ['x-request-id', visible],
    ['accept', visible],
    ['range', fc.constantFrom('bytes=0-1', 'bytes=5-', 'x')],
    ['if-none-match', fc.constant('*')],
    ['x-http-method-override', fc.constant('DELETE')],
    ['x-forwarded-for', visible],
    ['forwarded', visible],
    ['origin', fc.constant('https://evil.example')],
    ['cookie', visible],
    ['expect', fc.constantFrom('100-continue', 'x')],
    ['host', fc.constantFrom('evil.example', 'a b', '[::1')],
  ];
  const documented = known.map((header): [string, fc.Arbitrary<string>] => [
    header,
    fc.oneof(fc.constantFrom('k1', 'k2', '1', '1.1'), name, visible),
  ]);
  const one = (list: [string, fc.Arbitrary<string>][]) =>
    fc.oneof(...list.map(([key, value]) => value.map((text) => ({ [key]: text }))));
  const maybeDocumented = documented.length > 0 ? fc.option(one(documented), { freq: 3, nil: {} }) : fc.constant({});
  return fc.tuple(rarely(one(odd)), maybeDocumented).map(([some, more]) => ({ ...some, ...more }));
}

export function anyName(names: readonly Named[]): fc.Arbitrary<string> {
  return fc.constantFrom(...names.map(({ name }) => name));
}

/** Returns the value in one of eight cases, otherwise undefined. */
export function rarely<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, value);
}

export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
