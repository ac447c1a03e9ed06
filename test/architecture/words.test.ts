import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { pickNodes, ROOT, type Source, sourcesIn } from './sources.js';

/** Folders and files whose language is checked. */
const CHECKED = [
  'apps',
  'docker',
  'docs',
  'packages',
  'prisma/schema.prisma',
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'test'))
    .filter((name) => !name.includes('.'))
    .map((name) => `test/${name}`),
];

/** Words that plain technical English does not need: archaisms, metaphors, personified code, British spelling. */
const BANNED = [
  ...['amid', 'anew', 'lest', 'whereupon', 'thereof', 'hither', 'wherever', 'whoever', 'whomever', 'for ever'],
  ...['somebody', 'nobody', 'everybody', 'told', 'tells?', 'telling', 'untold', 'all the same', 'sees to'],
  ...['overstays?', 'overstayed', 'knocks?', 'verdicts?', 'suspects?', 'mends?', 'mended', 'standstills?'],
  ...['rooms?', 'doors?', 'house', 'affairs?', 'feeders?', 'refusals?', 'figures?', 'besides?', 'losses'],
  ...['hand(s|ed|ing)? back', 'g(i|a)ves? back', 'given back', 'giving back'],
  ...['colou?rs?(?<=colours?)', 'coloured', 'behaviours?', 'licence', 'favour\\w*', 'honour\\w*', 'grey'],
  ...['normalis\\w*', 'capitalis\\w*', 'organis\\w*', 'recognis\\w*', 'initialis\\w*', 'serialis\\w*'],
];
const BANNED_WORD = new RegExp(`\\b(${BANNED.join('|')})\\b`, 'gi');

/** Names that contain such a word and are defined elsewhere, and why they stay. */
const NAMES: Record<string, string> = {
  attempts_handed_back_total: 'a metric of version 0.1.0',
  attempts_overstayed_total: 'a metric of version 0.1.0',
  'figures: [': 'a field of the payload of a report',
  '<figure': 'an HTML element',
  '</figure': 'an HTML element',
  "a, figure, [data-row-id]'": 'an HTML element',
  'message.refusal': "a field of OpenAI's answers",
  'refusal?: ': "a field of OpenAI's answers",
};

/** Files that may use these words, and why. */
const EXCEPTIONS: Record<string, string> = {
  'test/architecture/words.test.ts': 'it lists the words',
  'test/migrations/attempts.test.ts': 'it quotes log entries of version 0.1.0',
  'packages/devstack/src/servers/postgres-location.ts': 'it names a system user',
  'packages/handlers/src/pdf-templates/report.ts': 'it names HTML elements and a field of the payload',
  'test/harness/stack/pooler.ts': 'it names a system user',
  'test/providers/openai.test.ts': "it names a field of OpenAI's answers",
};

/** A title must be readable alone in a failing line of CI. */
const FRAGMENT = /^(of|all|that|goes|is no)\b/i;

const sources = CHECKED.flatMap(textsIn);

test('code, comments, docs and test titles use plain words', () => {
  expect(sources.flatMap(bannedWordsIn)).toEqual([]);
});

test('a test title is a sentence of its own', () => {
  expect(sources.flatMap((source) => titlesIn(source).filter((title) => FRAGMENT.test(title)))).toEqual([]);
});

test('every excepted name and file is needed', () => {
  const isUsed = (part: string) => sources.some(({ path, text }) => !(path in EXCEPTIONS) && text.includes(part));
  const paths = new Set(sources.map(({ path }) => path));

  expect(Object.keys(NAMES).filter((name) => !isUsed(name))).toEqual([]);
  expect(Object.keys(EXCEPTIONS).filter((path) => !paths.has(path))).toEqual([]);
});

test('the check finds words in camelCase, in snake_case and in other letter cases', () => {
  const found = (text: string) => bannedWordsIn({ path: 'x.ts', text });

  expect(found('const tellCallers = 1;')).toEqual(['x.ts:1: tell']);
  expect(found('// fine\nhas_door: Nobody')).toEqual(['x.ts:2: door', 'x.ts:2: Nobody']);
  expect(found('const retellable = storytelling;')).toEqual([]);
});

test('the check finds titles of every kind of test', () => {
  const text = `it('of a job', f); test.each(a)(\`that \${b}\`, f); describe('all jobs', f); it('a job', f); x.of('of', 1);`;

  expect(titlesIn({ path: 'x.test.ts', text })).toEqual(['of a job', 'that ', 'all jobs', 'a job']);
});

function bannedWordsIn({ path, text }: Source): string[] {
  if (path in EXCEPTIONS) return [];
  const checked = Object.keys(NAMES).reduce((rest, name) => rest.replaceAll(name, ''), text);
  return checked
    .split('\n')
    .flatMap((line, n) => [...split(line).matchAll(BANNED_WORD)].map(([word]) => `${path}:${n + 1}: ${word}`));
}

/** Separates the words of names: `hasRoom` and `has_room` become `has Room` and `has room`. */
function split(text: string): string {
  return text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
}

/** The titles of `test`, `it` and `describe` in all their forms; of a template, the text before its first value. */
function titlesIn(source: Source): string[] {
  if (!/\.test\.tsx?$/.test(source.path)) return [];
  return pickNodes(source, (node) => {
    if (!ts.isCallExpression(node) || !/^(test|it|describe)$/.test(rootOf(node.expression))) return undefined;
    const [title] = node.arguments;
    if (title && ts.isStringLiteralLike(title)) return title.text;
    return title && ts.isTemplateExpression(title) ? title.head.text : undefined;
  });
}

/** The first name of `test.each(…)`, `it.skipIf(…)`, and so on. */
function rootOf(node: ts.Expression): string {
  if (ts.isCallExpression(node) || ts.isPropertyAccessExpression(node)) return rootOf(node.expression);
  return ts.isIdentifier(node) ? node.text : '';
}

/** The sources and documents of a folder, or the file itself. */
function textsIn(path: string): Source[] {
  if (/\.\w+$/.test(path)) return [{ path, text: readFileSync(join(ROOT, path), 'utf8') }];
  const documents = readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(md|ya?ml|sh)$/.test(name) && !/(^|\/)(node_modules|dist)\//.test(name))
    .map((name) => ({ path: `${path}/${name}`, text: readFileSync(join(ROOT, path, name), 'utf8') }));
  return [...sourcesIn(path), ...documents];
}
