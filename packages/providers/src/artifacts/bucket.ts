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
/** To the beginning of its answer; a file on its way there takes longer. */
const REQUEST_TIMEOUT_MS = 5_000;
const PUT_TIMEOUT_MS = 30_000;
/** Within an answer, without a byte: as long as the API lets those who read a file be silent. */
const SILENT_MS = 120_000;
const MAX_ATTEMPTS = 3;

/** Connects to nothing yet. */
export function openBucket(settings: BucketSettings): ArtifactStore {
  const { ARTIFACTS_S3_BUCKET: Bucket, ARTIFACTS_S3_PREFIX: prefix } = settings;
  const client = openClient(settings);
  return {
    async put(key, { contentType, bytes }, signal) {
      const command = new PutObjectCommand({ Bucket, Key: prefix + key, Body: bytes, ContentType: contentType });
      await told(client.send(command, { abortSignal: signal, requestTimeout: PUT_TIMEOUT_MS }), signal);
    },

    async read(key) {
      const { Body } = await told(
        client.send(new GetObjectCommand({ Bucket, Key: prefix + key })).catch((error: unknown) => {
          if (error instanceof NoSuchKey) return { Body: undefined };
          throw error;
        }),
      );
      // The cast: on Node a body is a stream of Node's.
      return (Body as AsyncIterable<Uint8Array> | undefined) ?? null;
    },

    async deleteUnder(under) {
      for (;;) {
        const { Contents = [] } = await told(client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix + under })));
        if (Contents.length === 0) return;
        const Objects = Contents.map(({ Key }) => ({ Key }));
        const { Errors = [] } = await told(
          client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })),
        );
        if (Errors.length > 0) throw new ProviderFailure('rejected', `S3 does not delete: ${Errors[0]?.Code}`);
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
      // Without it, a request that takes too long is only warned of.
      throwOnRequestTimeout: true,
      socketTimeout: SILENT_MS,
    },
    // Others than Amazon know no checksums in trailers, and have buckets in paths.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(settings.ARTIFACTS_S3_ENDPOINT && { endpoint: settings.ARTIFACTS_S3_ENDPOINT, forcePathStyle: true }),
    ...(accessKeyId && secretAccessKey && { credentials: { accessKeyId, secretAccessKey } }),
  });
}

/** In our words. Its own errors hold the request, credentials included. */
async function told<T>(answer: Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    signal?.throwIfAborted();
    const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
    const name = error instanceof Error ? error.name : 'unknown';
    const kind = status !== undefined && status >= 400 && status < 500 ? 'rejected' : 'transient';
    throw new ProviderFailure(kind, `the store of artifacts failed: ${name}${status ? ` (HTTP ${status})` : ''}`);
  }
}
