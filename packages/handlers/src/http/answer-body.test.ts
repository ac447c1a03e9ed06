import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readAnswerBody } from './answer-body.js';
import { createHideSecrets } from './hide-secrets.js';

async function read(
  body: string | Uint8Array,
  { encoding = '', cut = false, secrets = [] }: { encoding?: string; cut?: boolean; secrets?: string[] } = {},
) {
  const answer = { headers: { 'content-encoding': encoding }, body: Buffer.from(body), cut };
  return (await readAnswerBody(answer, createHideSecrets(secrets))).shown;
}

test.each<[string, unknown]>([
  ['{"erp_id":"E-77","list":[1,null]}', { erp_id: 'E-77', list: [1, null] }],
  ['"text"', 'text'],
  ['9007199254740992', 9007199254740992],
  // A number would change, so the body stays a text.
  ['{"id":9007199254740993}', '{"id":9007199254740993}'],
  ['{"n":1e999}', '{"n":1e999}'],
  ['<html>', '<html>'],
  ['{"a":"\\u0000\\ud800","\\\\u0000":"😀"}', { a: '\ufffd\ufffd', '\\u0000': '😀' }],
  ['a\0b', 'a\ufffdb'],
  ['['.repeat(60) + ']'.repeat(60), JSON.parse('['.repeat(60) + ']'.repeat(60))],
  ['['.repeat(30_000) + ']'.repeat(30_000), '['.repeat(30_000) + ']'.repeat(30_000)],
])('a body is shown as JSON only if it can be stored unchanged: %.40s', async (body, shown) => {
  expect(await read(body)).toEqual({ body: shown });
});

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('a body that is compressed by %s is decompressed, up to 64 KiB', async (encoding, compress) => {
  const half = compress('{"a":1}'.repeat(1_000)).subarray(0, -4);

  expect(await read(compress('{"a":1}'), { encoding })).toEqual({ body: { a: 1 } });
  expect(await read(compress('a'.repeat(10_000_000)), { encoding })).toEqual({
    body: 'a'.repeat(65_536),
    truncated: true,
  });
  expect(await read(half, { encoding, cut: true })).toMatchObject({ truncated: true });
  expect(await read('no', { encoding })).toEqual({ body: 'no' });
});

test('a body is truncated between characters, also if bytes that are not UTF-8 make it longer', async () => {
  const long = Buffer.from(`a${'é'.repeat(32_768)}`).subarray(0, 65_536);

  expect(await read(long, { cut: true })).toEqual({ body: `a${'é'.repeat(32_767)}`, truncated: true });
  expect(await read(Buffer.alloc(65_536, 0xff))).toEqual({ body: '\ufffd'.repeat(21_845), truncated: true });
});

test.each([0, 65_530])('a secret at byte %i of a body is hidden before the body is cut', async (start) => {
  const body = `${'a'.repeat(start)}the-secret${'b'.repeat(70_000)}`;

  const shown = await read(gzipSync(body), { encoding: 'gzip', secrets: ['the-secret'] });

  expect(shown).toEqual({ body: body.replace('the-secret', '***').slice(0, 65_536), truncated: true });
});
