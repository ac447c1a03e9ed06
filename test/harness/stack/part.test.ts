import { expect, test } from 'vitest';
import { choosePart } from './part.js';

test.each([
  ['npm test', [], undefined, 'fast'],
  ['npm test with an option', ['--bail=1'], undefined, 'fast'],
  ['npm test with a file', ['test/x.test.ts'], undefined, 'all'],
  ['npm test with a long form', ['test/long/x.test.ts'], undefined, 'long'],
  ['npm test with the folder of the long forms', ['test/long'], undefined, 'long'],
  ['npm test with a test of what the long forms use', ['test/long/faults/report/x.test.ts'], undefined, 'all'],
  ['npm test with a name', ['-t', 'a name'], undefined, 'all'],
  ['npm test of what has changed', ['--changed=main'], undefined, 'all'],
  ['npm run test:all', [], 'all', 'all'],
  ['npm run test:all with a file', ['test/x.test.ts'], 'all', 'all'],
  ['npm run test:all -- --rest', ['--rest'], 'all', 'rest'],
  ['npm run test:long', [], 'long', 'long'],
  ['npm run test:long with a file', ['test/long/x.test.ts'], 'long', 'long'],
])('%s runs the right part', (_command, argv, named, part) => {
  expect(choosePart(argv, named)).toEqual({ part, args: argv.filter((arg) => arg !== '--rest') });
});

test('long forms and other files are not run together', () => {
  expect(() => choosePart(['test/long/x.test.ts', 'test/api/x.test.ts'], undefined)).toThrow('a run of their own');
});
