import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type Json, LIMITS } from '@jobline/contracts';
import type { OutboundResponse } from '../ports/outbound.js';
import { roundedIntegers } from '../rounded-integers.js';
import type { HideSecrets } from './hide-secrets.js';

const DECODERS = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** At most this much of the body of an answer is kept, before and after it is decompressed. */
export const ANSWER_BYTES = 64 * 1024;

/** The body of an answer as a job's result shows it. */
export interface AnswerBody {
  /** JSON, if the body is JSON that can be stored unchanged; else text; null: it is empty. */
  body: Json;
  /** Present if only the beginning is kept. */
  truncated?: true;
}

/**
 * Reads the body of an answer of which at least ANSWER_BYTES, and the longest form of a secret more, were received. Its `text` has no
 * secret and no incomplete character.
 */
export async function readAnswerBody(
  answer: Pick<OutboundResponse, 'headers' | 'body' | 'cut'>,
  { hide, longestBytes }: HideSecrets,
) {
  const unpacked = await decompressed(answer, ANSWER_BYTES + longestBytes);
  const { text, isCut } = textOf(unpacked.bytes, unpacked.isCut, hide);
  const json = isCut ? undefined : storableJson(text);
  const shown: AnswerBody = { body: json ?? (text || null), ...(isCut && { truncated: true }) };
  return { text, shown };
}

/** A body that cannot be decompressed stays as it was received. */
async function decompressed(
  { headers, body, cut }: Pick<OutboundResponse, 'headers' | 'body' | 'cut'>,
  maxBytes: number,
) {
  const decoder = DECODERS.get(headers['content-encoding']?.toLowerCase() ?? '')?.();
  if (!decoder) return { bytes: body, isCut: cut };
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    decoder.end(body);
    for await (const chunk of decoder) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) break;
    }
  } catch (error) {
    // The end of a truncated body is missing.
    if (chunks.length === 0 || !(error instanceof Error)) return { bytes: body, isCut: cut };
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: cut || sizeBytes > maxBytes };
}

/** Text that Postgres can store: what is not UTF-8, and U+0000, is U+FFFD. It has at most ANSWER_BYTES in UTF-8. */
function textOf(bytes: Uint8Array, isCut: boolean, hide: HideSecrets['hide']): { text: string; isCut: boolean } {
  const text = hide(new TextDecoder().decode(bytes, { stream: isCut }).replaceAll('\0', '\uFFFD'));
  const written = Buffer.from(text);
  if (written.length <= ANSWER_BYTES) return { text, isCut };
  return { text: new TextDecoder().decode(written.subarray(0, ANSWER_BYTES), { stream: true }), isCut: true };
}

/** The value of a JSON text; undefined if it is none, or if the stored value would differ from it. */
function storableJson(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    if (!isStorable(value, LIMITS.payloadDepth) || roundedIntegers(text).length > 0) return undefined;
    return JSON.parse(JSON.stringify(value).replace(ESCAPE, storableEscape));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isStorable(value: Json, levels: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isStorable(inner, levels - 1));
}

const ESCAPE = /\\(?:u[0-9a-f]{4}|.)/g;

/** JSON.stringify escapes surrogates only if they are not in a pair. */
function storableEscape(written: string): string {
  return written === '\\u0000' || written.startsWith('\\ud') ? '\uFFFD' : written;
}
