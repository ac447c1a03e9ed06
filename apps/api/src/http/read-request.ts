import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { AppError, type ErrorDetail } from '@jobline/contracts';
import { bodyValidator, isJsonObject, type Validated } from '@jobline/engine';
import { roundedIntegers } from '@jobline/handlers';
import type { Request } from 'express';
import Joi, { type ObjectSchema } from 'joi';
import type { BodyMemory } from '../budgets/body-budget.js';
import type { EndpointDeps } from '../deps.js';
import type { Call, CustomBody, Endpoint, RawRequest } from '../endpoint.js';
import { incomplete, invalidRequest, notFound, tooLarge } from './errors.js';
import { readUpload } from './read-upload.js';
import { hasBody, listsIn, queryValidator, readIdempotencyKey, readQuery, rejectAll } from './validate.js';

/** What a valid request contains, apart from its path. */
type Content = Pick<Call, 'raw' | 'upload' | 'query' | 'body' | 'idempotencyKey'>;

/**
 * Reads and validates the requests of an endpoint. `memory` counts their bodies; `onSize` is called before a body is parsed and
 * can reject it by throwing. `deps`: those that the endpoint declares.
 */
export function requestReader(
  endpoint: Endpoint,
  all: EndpointDeps,
  deps: unknown,
): (req: Request, memory: BodyMemory, onSize: (sizeBytes: number) => void) => Promise<Content> {
  const { raw, upload, params: patterns = {}, body, isBodyOptional } = endpoint;
  const { maxBodyBytes, publicUrl } = all.settings;
  const maxUploadBytes = upload?.maxBytes(all.settings);
  const validate = requestValidator(endpoint, all);
  return async (req, memory, onSize) => {
    const unparsed = raw && (await readRaw(req, raw, { publicUrl, memory, patterns, deps }));
    const isLeftOut = isBodyOptional && !hasBody(req.headers);
    const json = isLeftOut ? {} : body && (await readJson(req, maxBodyBytes, memory, onSize));
    const uploaded = maxUploadBytes === undefined ? undefined : readUpload(req, maxUploadBytes, memory, onSize);
    return { raw: unparsed, upload: uploaded, ...(await validate(req, json, memory)) };
  };
}

/** The values of the names in a path. */
export function readParams(req: Request, patterns: Record<string, RegExp>): Record<string, string> {
  const params: Record<string, string> = {};
  for (const name in patterns) {
    const value = String(req.params[name]);
    if (!patterns[name]?.test(value)) throw notFound();
    params[name] = value;
  }
  return params;
}

interface RawDeps {
  publicUrl: string;
  memory: BodyMemory;
  patterns: Record<string, RegExp>;
  deps: unknown;
}

async function readRaw(
  req: Request,
  { maxBytes, check }: NonNullable<Endpoint['raw']>,
  { publicUrl, memory, patterns, deps }: RawDeps,
): Promise<RawRequest> {
  const { headers, url } = req;
  const start = url.indexOf('?');
  const query = new URLSearchParams(start < 0 ? '' : url.slice(start));
  const head = { headers, url: publicUrl + url, query };
  check(head, readParams(req, patterns), deps);
  return { ...head, body: await readBytes(req, maxBytes, memory) };
}

/** Validates query, header and body together, so that one error response lists the issues of all. */
function requestValidator(
  endpoint: Endpoint,
  deps: EndpointDeps,
): (req: Request, body: unknown, memory: BodyMemory) => Promise<Omit<Content, 'raw' | 'upload'>> {
  const validateQuery = endpoint.query ? queryValidator(endpoint.query) : rejectAll;
  const lists = endpoint.query && listsIn(endpoint.query);
  const validateBody = endpoint.body && jsonValidator(endpoint.body, deps);
  return async (req, json, memory) => {
    const { values, issues } = endpoint.raw ? { values: {}, issues: [] } : readQuery(req.url, lists);
    const query = take(validateQuery(values), issues);
    const idempotencyKey = endpoint.idempotent && take(readIdempotencyKey(req.headers), issues);
    const body = validateBody && take(await validateBody(json, query, memory.nextTurn), issues);
    if (issues.length > 0) throw invalidRequest(issues);
    return { query, body, idempotencyKey };
  };
}

function jsonValidator<B>(
  body: ObjectSchema<B> | CustomBody<B>,
  deps: EndpointDeps,
): (json: unknown, query: unknown, nextTurn: () => Promise<void>) => Validated<B> | Promise<Validated<B>> {
  const validate: CustomBody<B>['validate'] = Joi.isSchema(body) ? bodyValidator(body) : body.validate;
  return (json, query, nextTurn) =>
    isJsonObject(json)
      ? validate(json, deps, query, nextTurn)
      : { issues: [{ path: '', message: 'the body must be a JSON object' }] };
}

/** The value, or undefined with its issues added to the others. */
function take<T>(validated: Validated<T>, issues: ErrorDetail[]): T | undefined {
  if ('value' in validated) return validated.value;
  issues.push(...validated.issues);
  return undefined;
}

/**
 * Reads and parses a JSON body. Its errors have the order of the API: too large, not declared as JSON, not JSON, integers that
 * would be rounded. Reads at most `maxBytes`; `send` deals with unread bytes. `onSize` is called before the body is parsed, and can reject it by throwing.
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
  const text = bytes.toString('utf8', bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0);
  const json = parse(text);
  const rounded = roundedIntegers(text);
  if (rounded.length === 0) return json;
  const message = 'is an integer that would be rounded; send it as a string';
  throw invalidRequest(rounded.map((path) => ({ path, message: `"${path}" ${message}` })));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError('invalid_json', 'The body is not valid JSON.', { cause: error });
  }
}

/** RFC 8259, section 8.1: a parser may ignore it. PowerShell and .NET send it. */
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** The declared length of the body, but at most `maxBytes`; null if the request declares none. */
export function declaredBytes(
  { 'transfer-encoding': encoding, 'content-length': length }: IncomingHttpHeaders,
  maxBytes: number,
): number | null {
  return encoding === undefined ? Math.min(Number(length ?? 0), maxBytes) : null;
}

/** Reads a body of any type, at most `maxBytes`. Every received byte is counted in `memory`. */
function readBytes(req: IncomingMessage, maxBytes: number, memory: BodyMemory): Promise<Buffer> {
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
    const onBroken = (cause?: unknown) => settle(() => reject(incomplete(cause)));
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
