import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { start } from './receivers.js';

/**
 * A bucket in memory with the REST API of S3 and paths that contain the bucket: PUT, GET, ListObjectsV2 and
 * DeleteObjects. Requests without a valid signature (AWS Signature Version 4) for these keys are rejected.
 */
export interface S3StandIn {
  url: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
  objects: Map<string, { contentType: string; bytes: Buffer }>;
  /** The names of objects that it refuses to delete. */
  locked: Set<string>;
  /** The behavior: normal answers, 503, no answer at all, or only the headers of files without their bodies. */
  behavior: 'up' | 'down' | 'silent' | 'stalling';
  /** The number of requests so far. */
  requests: number;
  close(): Promise<unknown>;
}

export async function startS3(): Promise<S3StandIn> {
  const s3: S3StandIn = {
    url: '',
    bucket: 'files',
    accessKeyId: 'AKIAEXAMPLE',
    secretAccessKey: 'planted-secret-of-the-bucket',
    region: 'eu-west-1',
    objects: new Map(),
    locked: new Set(),
    behavior: 'up',
    requests: 0,
    close: async () => undefined,
  };
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    s3.requests++;
    if (s3.behavior === 'silent') return;
    if (s3.behavior === 'down') return void refuse(response, 503, 'SlowDown');
    if (!isSigned(request, body, s3)) return void refuse(response, 403, 'SignatureDoesNotMatch');
    answer(s3, request, body, response);
  });
  s3.url = `http://127.0.0.1:${await start(server)}`;
  s3.close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return s3;
}

function answer(
  { bucket, objects, locked, behavior }: S3StandIn,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): void {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://s3');
  const [, named, ...rest] = pathname.split('/').map(decodeURIComponent);
  if (named !== bucket) return void refuse(response, 404, 'NoSuchBucket');
  const key = rest.join('/');
  if (request.method === 'PUT') {
    objects.set(key, { contentType: String(request.headers['content-type']), bytes: body });
    return void response.writeHead(200, { ETag: '"x"' }).end();
  }
  if (request.method === 'GET' && searchParams.get('list-type') === '2') {
    const found = [...objects.keys()].filter((name) => name.startsWith(searchParams.get('prefix') ?? '')).slice(0, 3);
    return void xml(
      response,
      `<ListBucketResult>${found.map((name) => `<Contents><Key>${name}</Key></Contents>`).join('')}</ListBucketResult>`,
    );
  }
  if (request.method === 'POST' && searchParams.has('delete')) {
    const names = [...body.toString().matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, name = '']) => name);
    for (const name of names) if (!locked.has(name)) objects.delete(name);
    const errors = names
      .filter((name) => locked.has(name))
      .map((name) => `<Error><Key>${name}</Key><Code>AccessDenied</Code></Error>`);
    return void xml(response, `<DeleteResult>${errors.join('')}</DeleteResult>`);
  }
  const object = objects.get(key);
  if (!object) return void refuse(response, 404, 'NoSuchKey');
  response.writeHead(200, { 'content-type': object.contentType, 'content-length': object.bytes.length });
  if (behavior === 'stalling') response.flushHeaders();
  else response.end(object.bytes);
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}

function xml(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${text}`);
}

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
function isSigned({ headers, method, url = '' }: IncomingMessage, body: Buffer, s3: S3StandIn): boolean {
  const [, credential, signed, signature] =
    /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(headers.authorization ?? '') ?? [];
  const hash = headers['x-amz-content-sha256'];
  if (!credential || !signed || !signature || hash !== sha256(body)) return false;
  const { pathname, searchParams } = new URL(url, 'http://s3');
  const query = [...searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort()
    .join('&');
  const lines = signed.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = [method, pathname, query, lines.join(''), signed, hash].join('\n');
  const at = String(headers['x-amz-date']);
  const scope = [at.slice(0, 8), s3.region, 's3', 'aws4_request'];
  const text = ['AWS4-HMAC-SHA256', at, scope.join('/'), sha256(canonical)].join('\n');
  const key = scope.reduce<Buffer>((secret, part) => hmac(secret, part), Buffer.from(`AWS4${s3.secretAccessKey}`));
  return credential === [s3.accessKeyId, ...scope].join('/') && hmac(key, text).toString('hex') === signature;
}

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');
const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();
