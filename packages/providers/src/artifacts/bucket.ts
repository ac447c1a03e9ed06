import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { ProviderFailure } from '@jobline/handlers/errors';
import type { ArtifactStore } from '@jobline/handlers/ports';

export interface BucketSettings {
  ARTIFACTS_S3_BUCKET: string;
  ARTIFACTS_S3_REGION: string;
  ARTIFACTS_S3_ENDPOINT?: string;
  ARTIFACTS_S3_PREFIX: string;
  ARTIFACTS_S3_ACCESS_KEY_ID?: string;
  ARTIFACTS_S3_SECRET_ACCESS_KEY?: string;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** Until the answer starts. Transferring a file takes longer. */
const REQUEST_TIMEOUT_MS = 5_000;
const PUT_TIMEOUT_MS = 30_000;
/** How long an answer may pause. The API allows the same pause to clients that download a file. */
const SILENT_MS = 120_000;
const MAX_ATTEMPTS = 3;

/** Opens no connection yet. */
export function openBucket(settings: BucketSettings): ArtifactStore {
  const { ARTIFACTS_S3_BUCKET: Bucket, ARTIFACTS_S3_PREFIX: prefix } = settings;
  const client = openClient(settings);
  return {
    async put(key, { contentType, bytes }, signal) {
      const command = new PutObjectCommand({ Bucket, Key: prefix + key, Body: bytes, ContentType: contentType });
      await translateErrors(client.send(command, { abortSignal: signal, requestTimeout: PUT_TIMEOUT_MS }), signal);
    },

    async read(key) {
      const { Body } = await translateErrors(
        client.send(new GetObjectCommand({ Bucket, Key: prefix + key })).catch((error: unknown) => {
          if (error instanceof NoSuchKey) return { Body: undefined };
          throw error;
        }),
      );
      // The cast: on Node, a body is a Node stream.
      return (Body as AsyncIterable<Uint8Array> | undefined) ?? null;
    },

    async deleteUnder(under) {
      for (;;) {
        const { Contents = [] } = await translateErrors(
          client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix + under })),
        );
        if (Contents.length === 0) return;
        const Objects = Contents.map(({ Key }) => ({ Key }));
        const { Errors = [] } = await translateErrors(
          client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })),
        );
        if (Errors.length > 0) throw new ProviderFailure('rejected', `S3 could not delete a file: ${Errors[0]?.Code}`);
      }
    },

    close: () => client.destroy(),
  };
}

function openClient(settings: BucketSettings): S3Client {
  const { ARTIFACTS_S3_ACCESS_KEY_ID: accessKeyId, ARTIFACTS_S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  return new S3Client({
    region: settings.ARTIFACTS_S3_REGION,
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      // Without this option, a request that exceeds its limit only logs a warning.
      throwOnRequestTimeout: true,
      socketTimeout: SILENT_MS,
    },
    // Other S3-compatible services do not support checksums in trailers, and expect the bucket in the path.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(settings.ARTIFACTS_S3_ENDPOINT && { endpoint: settings.ARTIFACTS_S3_ENDPOINT, forcePathStyle: true }),
    ...(accessKeyId && secretAccessKey && { credentials: { accessKeyId, secretAccessKey } }),
  });
}

/** Replaces the client's errors with our own, because the client's errors contain the request with its credentials. */
async function translateErrors<T>(answer: Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    signal?.throwIfAborted();
    const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
    const name = error instanceof Error ? error.name : 'unknown';
    const kind = status !== undefined && status >= 400 && status < 500 ? 'rejected' : 'transient';
    throw new ProviderFailure(kind, `the artifact store failed: ${name}${status ? ` (HTTP ${status})` : ''}`);
  }
}
