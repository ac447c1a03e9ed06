import type { IncomingMessage } from 'node:http';
import { AppError } from '@jobline/contracts';
import type { BodyMemory } from '../budgets/body-budget.js';
import type { UploadedBody } from '../endpoint.js';
import { incomplete, tooLarge } from './errors.js';

/** The size of all parts but the last. At most one part of an upload is in memory. */
const PART_BYTES = 1024 * 1024;

const TYPE = /^[a-z0-9][\w.+-]{0,100}\/[a-z0-9][\w.+-]{0,100}$/i;
const CHARSET = /^charset="?([\w-]{1,40})"?$/i;
const ANY_TYPE = 'application/octet-stream';

/** Starts to receive a file. `onSize` is called for each part, and can reject it by throwing. Errors have the order of the API: too large, then a body that is not the file itself. */
export function readUpload(
  req: IncomingMessage,
  maxBytes: number,
  memory: BodyMemory,
  onSize: (sizeBytes: number) => void,
): UploadedBody {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const contentType = contentTypeOf(req);
  memory.receive(Math.min(Number(req.headers['content-length'] ?? PART_BYTES), PART_BYTES));
  return { contentType, parts: partsOf(req, maxBytes, onSize) };
}

function contentTypeOf({ headers }: IncomingMessage): string {
  const [type = '', ...parameters] = (headers['content-type'] ?? ANY_TYPE).split(';').map((part) => part.trim());
  const isPlain = (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
  if (!TYPE.test(type) || !isPlain || type.toLowerCase().startsWith('multipart/')) {
    throw new AppError(
      'unsupported_media_type',
      'Send the file itself as the body, not as a form and not compressed, with its Content-Type.',
    );
  }
  const charset = parameters.map((parameter) => CHARSET.exec(parameter)?.[1]).find((found) => found !== undefined);
  return charset === undefined ? type : `${type}; charset=${charset}`;
}

async function* partsOf(
  req: IncomingMessage,
  maxBytes: number,
  onSize: (sizeBytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let chunks: Buffer[] = [];
  let [partBytes, sizeBytes] = [0, 0];
  try {
    // The rest of a body that is not read further is left to the response, which needs the connection.
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
      partBytes += chunk.length;
      if (partBytes < PART_BYTES) continue;
      onSize(partBytes);
      yield Buffer.concat(chunks, partBytes);
      chunks = [];
      partBytes = 0;
    }
  } catch (error) {
    throw error instanceof AppError ? error : incomplete(error);
  }
  if (!req.complete) throw incomplete();
  onSize(partBytes);
  if (partBytes > 0) yield Buffer.concat(chunks, partBytes);
}
