import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { AppError } from '@jobline/contracts';
import type { BodyMemory } from '../budgets/body-budget.js';

/**
 * Reads and parses a JSON body. Its errors have the order of the API: too large, not declared as JSON, not JSON. Reads at
 * most `maxBytes`; `send` deals with unread bytes. `onSize` is called before the body is parsed, and can reject it by throwing.
 */
export async function readJson(
  req: IncomingMessage,
  maxBytes: number,
  memory: BodyMemory,
  onSize?: (sizeBytes: number) => void,
): Promise<unknown> {
  const bytes = await readBytes(req, maxBytes, memory);
  onSize?.(bytes.length);
  if (bytes.length === 0) throw new AppError('invalid_json', 'The body is empty; send a JSON body.');
  requireJson(req.headers);
  if (!isUtf8(bytes)) throw new AppError('invalid_json', 'The body is not valid UTF-8.');
  await memory.parse(bytes);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new AppError('invalid_json', 'The body is not valid JSON.', { cause: error });
  }
}

/** The declared length of the body, but at most `maxBytes`; null if the request declares none. */
export function declaredBytes(
  { 'transfer-encoding': encoding, 'content-length': length }: IncomingHttpHeaders,
  maxBytes: number,
): number | null {
  return encoding === undefined ? Math.min(Number(length ?? 0), maxBytes) : null;
}

/** Whether a request has a body. These two headers are the only sign of it. */
export function hasBody({ 'transfer-encoding': encoding, 'content-length': length }: IncomingHttpHeaders): boolean {
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** Reads a body of any type, at most `maxBytes`. Every received byte is counted in `memory`. */
export function readBytes(req: IncomingMessage, maxBytes: number, memory: BodyMemory): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(req.headers['content-length'] ?? 0) > maxBytes) return reject(tooLarge(maxBytes));
    const chunks: Buffer[] = [];
    let sizeBytes = 0;

    const onData = (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) return settle(() => reject(tooLarge(maxBytes)));
      try {
        memory.receive(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks, sizeBytes)));
    // The client is gone and reads no response. The error only ends the handling of the request.
    const onBroken = (cause?: unknown) =>
      settle(() =>
        reject(new AppError('invalid_json', 'The body is incomplete: the connection was closed.', { cause })),
      );
    const settle = (end: () => void) => {
      req.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
      end();
    };
    req.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
}

function requireJson(headers: IncomingHttpHeaders): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const isJson = type.trim() === 'application/json' && parameters.every(isHarmless);
  const isPlain = (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
  if (isJson && isPlain) return;
  throw new AppError(
    'unsupported_media_type',
    'Send the body as Content-Type: application/json, in UTF-8 and not compressed.',
  );
}

/** Every parameter is accepted, except a charset other than UTF-8. */
function isHarmless(parameter: string): boolean {
  const [name = '', ...value] = parameter.split('=');
  if (name.trim() !== 'charset') return true;
  const charset = value.join('=').trim().replaceAll('"', '');
  return charset === 'utf-8' || charset === 'utf8';
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `The body may have at most ${maxBytes} bytes.`);
}
