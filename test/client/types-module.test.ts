import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import Joi from 'joi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey } from '../api/support.js';
import { ROOT } from '../architecture/sources.js';
import { createWorld, register, type World } from '../harness/index.js';
import { runPiped } from './cli-process.js';

const TSC = join(ROOT, 'node_modules/typescript-native/bin/tsc');
const STRICT = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
const OPTIONS = [...STRICT, '--target', 'es2023', '--module', 'nodenext', '--types', 'node'];
/** Below it, the compiler finds the packages of the project. */
const CACHE = join(ROOT, 'node_modules/.cache');

const { typesModule } = await import(join(ROOT, 'packages/client/dist/cli/types-module.js'));

let dir: string;
beforeAll(() => {
  mkdirSync(CACHE, { recursive: true });
  dir = mkdtempSync(join(CACHE, 'types-module-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

/** What the compiler says about a module with types and a program that uses them. */
async function compile(types: string, program: string): Promise<string> {
  writeFileSync(join(dir, 'jobs.mts'), types);
  writeFileSync(join(dir, 'use.mts'), program);
  const options = { cwd: dir };
  return promisify(execFile)(process.execPath, [TSC, ...OPTIONS, 'use.mts', 'jobs.mts'], options).then(
    ({ stdout, stderr }) => stdout + stderr,
    ({ stdout, stderr }) => stdout + stderr,
  );
}

const custom = (type: string, schema: unknown) => ({ type, built_in: false, schema });

it('a payload has the type that its JSON Schema describes', async () => {
  const types = typesModule([
    custom('plain', null),
    custom('order', {
      type: 'object',
      properties: {
        id: { type: 'string', description: 'The number.\n*/ @ts-ignore' },
        lines: { type: 'array', items: { $ref: '#/$defs/line' } },
        state: { enum: ['new', 'paid', 3] },
        version: { const: 2 },
        note: { type: ['string', 'null'] },
        old: { type: 'string', nullable: true },
        either: {
          oneOf: [{ type: 'string' }, { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }],
        },
        both: { allOf: [{ type: 'object', required: ['a'] }, { properties: { a: { type: 'boolean' } } }] },
        prices: { type: 'object', additionalProperties: { type: 'number' } },
        open: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true },
        never: false,
        parent: { $ref: '#' },
        elsewhere: { $ref: 'https://a.example/schema.json' },
      },
      required: ['id', 'lines'],
      $defs: { line: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] } },
    }),
    custom('one_of', {
      type: 'object',
      properties: { id: { type: 'string' }, a: { type: 'string' }, b: { type: 'string' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    }),
    custom('union', { anyOf: [{ type: 'object', properties: { kind: { const: 'x' } }, required: ['kind'] }] }),
    { type: 'webhook', built_in: true, schema: null },
    { type: 'of_a_newer_version', built_in: true, schema: { type: 'object', required: ['a'] } },
  ]);
  const program = `
import { Jobline } from '@jobline/client';
import type { Jobs } from './jobs.mjs';
const { jobs } = new Jobline<Jobs>({ url: 'https://a.example' });
const lines = [{ sku: 'a' }];
await jobs.submit('plain', { a: 1 });
await jobs.submit('webhook', { url: 'https://a.example', payload: {} });
await jobs.submit('order', { id: 'a', lines });
await jobs.submit('order', { id: 'a', lines, state: 3, version: 2, note: null, old: null, either: { n: 1 },
  both: { a: true }, prices: { any: 1.5 }, open: { a: 'a', b: 1 }, parent: { id: 'b', lines: [] }, elsewhere: 5 });
await jobs.submit('one_of', { id: 'a', b: 'b' });
await jobs.submit('union', { kind: 'x' });
await jobs.submit('of_a_newer_version', { a: 1 });
// @ts-expect-error: no such type
await jobs.submit('ordre', { id: 'a', lines });
${[
  "{ id: 'a' }",
  "{ id: 'a', lines, nonsense: 1 }",
  "{ id: 'a', lines: [{}] }",
  "{ id: 'a', lines, state: 'old' }",
  "{ id: 'a', lines, version: 3 }",
  "{ id: 'a', lines, note: 1 }",
  "{ id: 'a', lines, note: undefined }",
  "{ id: 'a', lines, either: { n: 'a' } }",
  "{ id: 'a', lines, both: {} }",
  "{ id: 'a', lines, prices: { a: 'a' } }",
  "{ id: 'a', lines, open: { a: 1 } }",
  "{ id: 'a', lines, never: 1 }",
  "{ id: 'a', lines, parent: { lines } }",
]
  .map((payload) => `// @ts-expect-error: the schema refuses it\nawait jobs.submit('order', ${payload});`)
  .join('\n')}
// @ts-expect-error: neither a nor b
await jobs.submit('one_of', { id: 'a' });
// @ts-expect-error: another kind
await jobs.submit('union', { kind: 'y' });
// @ts-expect-error: a is missing
await jobs.submit('of_a_newer_version', {});
`;

  expect(await compile(types, program)).toBe('');
});

describe('with hostile schemas', () => {
  const NAMES = [
    `'`,
    `"; } export const x = 1; /*`,
    '*/',
    '\n',
    '\r\n // a',
    '\u2028',
    '\u202e',
    '\ud800',
    '\\',
    '`',
    '__proto__',
    'constructor',
    'new',
    'readonly',
    '',
    ' ',
    '1a',
    'é',
  ];

  it('no name, value or description leaves its place', async () => {
    const texts = [...NAMES, '@ts-expect-error', '/ @ts-ignore', '*/ export const y = 1; /*', 'x'.repeat(10_000), 7];
    const fields = [...NAMES, ...texts.map((_, index) => `d${index}`)].map((name, index) => [
      name,
      { type: 'string', description: texts[index % texts.length] },
    ]);
    const schema = JSON.parse(
      JSON.stringify({ properties: Object.fromEntries(fields), required: NAMES, anyOf: [{ enum: texts }, {}] }),
    );
    schema.properties.choice = { enum: [...texts, null, true, { a: 1 }] };
    const types: string = typesModule([...NAMES.map((name) => custom(name, schema)), custom('a', schema)]);

    expect(types).not.toMatch(/[^\P{C}\n]|[\u2028\u2029]/u);
    const program = `
import type { Jobs } from './jobs.mjs';
export const names: keyof Jobs = ${JSON.stringify(NAMES[1])};
// @ts-expect-error: no such name
export const other: keyof Jobs = 'x';
`;
    expect(await compile(types, program)).toBe('');
  });

  it('a schema that makes no sense is written as a type that compiles', async () => {
    const schemas = {
      endless: { $ref: '#' },
      circle: { $ref: '#/a', a: { $ref: '#/b' }, b: { $ref: '#/a' } },
      inherited: { $ref: '#/constructor/prototype' },
      kinds: { type: 7, properties: [], required: 'a', enum: 'a', anyOf: {}, allOf: [1, null] },
      empty: { enum: [] },
    };
    const types = Object.entries(schemas).map(([name, schema]) => custom(name, schema));

    expect(await compile(typesModule(types), "import './jobs.mjs';")).toBe('');
  });

  it('the text of a type is bounded', () => {
    const wide = (depth: number): object => ({ $ref: `#/$defs/d${depth}` });
    const $defs = Object.fromEntries(
      Array.from({ length: 20 }, (_, depth) => [
        `d${depth}`,
        { properties: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}`, wide(depth + 1)])) },
      ]),
    );
    const long = { const: 'x'.repeat(1_000) };
    const text: string = typesModule([custom('a', { ...wide(0), $defs: { ...$defs, d4: long } })]);

    expect(text.length).toBeLessThan(101_000);
  });
});

it('types are written in the order of their names, and fields too', () => {
  const schema = { type: 'object', properties: { b: {}, a: {} } };
  const again = { properties: { a: {}, b: {} }, type: 'object' };

  expect(typesModule([custom('b', schema), custom('a', null)])).toBe(
    typesModule([custom('a', null), custom('b', again)]),
  );
});

describe('jobline types --typescript', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world.end());

  it('prints the types of live workers and the built-in ones, with which a program compiles', async () => {
    const api = await world.api();
    const schema = Joi.object({ order_id: Joi.string().required(), lines: Joi.number() });
    const handler = defineHandler({ type: 'shop.invoice', schema, run: async () => null });
    await world.worker({ catalogue: createCatalogue([handler]) });
    const { key } = await newKey(await register(api.call));
    const env = { JOBLINE_URL: api.url, JOBLINE_API_KEY: key };
    const { stdout, stderr, code } = await runPiped(['types', '--typescript'], { env });

    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout).toContain(`  "shop.invoice": { payload: {\n    lines?: number;\n    order_id: string;\n`);
    const program = `
import { Jobline } from '@jobline/client';
import type { Jobs } from './jobs.mjs';
const { jobs } = new Jobline<Jobs>({ url: 'https://a.example' });
const { id } = await jobs.submit('send_sms', { to: '+254700000001', message: 'm' });
(await jobs.result(id)).result?.segments.toFixed();
(await jobs.wait((await jobs.submit('shop.invoice', { order_id: 'a' })).id)).payload.order_id.toUpperCase();
// @ts-expect-error: the order is missing
await jobs.submit('shop.invoice', { lines: 1 });
// @ts-expect-error: a typo
await jobs.submit('shop.invioce', { order_id: 'a' });
// @ts-expect-error: an SMS has a message or a template
await jobs.submit('send_sms', { to: '+254700000001' });
`;
    expect(await compile(stdout, program)).toBe('');
  });
});
