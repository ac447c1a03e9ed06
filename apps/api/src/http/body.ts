import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { AppError } from '@jobline/contracts';
import type { BodyMemory } from './body-budget.js';

/**
 * A request's body as JSON.parse reads it. Refuses in the order of the contract: too large, not declared as JSON, not
 * JSON. Reads at most `maxBytes`; what it leaves unread is `send`'s to deal with. `onSize` is called before the body is
 * parsed, and refuses it by throwing.
 */
export async function readJson(
  req: IncomingMessage,
  maxBytes: number,
  memory: BodyMemory,
  onSize?: (sizeBytes: number) => void,
): Promise<unknown> {
  const bytes = await readBytes(req, maxBytes, memory);
  onSize?.(bytes.length);
  if (bytes.length === 0) throw new AppError('invalid_json', 'The request needs a JSON body, and it is empty.');
  requireJson(req.headers);
  if (!isUtf8(bytes)) throw new AppError('invalid_json', 'The body is not valid UTF-8.');
  await memory.parse(bytes);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new AppError('invalid_json', 'The body is not valid JSON.', { cause: error });
  }
}

/** How long a request says that its body is, as far as it would be read; null: it does not say. */
export function declaredBytes(
  { 'transfer-encoding': encoding, 'content-length': length }: IncomingHttpHeaders,
  maxBytes: number,
): number | null {
  return encoding === undefined ? Math.min(Number(length ?? 0), maxBytes) : null;
}

/** Whether a request came with a body. HTTP has no other way to say so. */
export function hasBody({ 'transfer-encoding': encoding, 'content-length': length }: IncomingHttpHeaders): boolean {
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** A request's body whatever it is, `maxBytes` at most. Every byte of it is counted in `memory` as it comes. */
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
    // Nobody is left to read the answer; it only gets the request off our hands.
    const onBroken = (cause?: unknown) =>
      settle(() => reject(new AppError('invalid_json', 'The body broke off.', { cause })));
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
    'The body must be sent as Content-Type: application/json, in UTF-8 and not compressed.',
  );
}

/** Any parameter but a charset that is not UTF-8. */
function isHarmless(parameter: string): boolean {
  const [name = '', ...value] = parameter.split('=');
  if (name.trim() !== 'charset') return true;
  const charset = value.join('=').trim().replaceAll('"', '');
  return charset === 'utf-8' || charset === 'utf8';
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `The body may have at most ${maxBytes} bytes.`);
}
