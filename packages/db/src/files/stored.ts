/** Bytes that are stored in Postgres or in the artifact store. */
export interface StoredBytes {
  contentType: string;
  name: string;
  sizeBytes: number;
  sha256: Buffer;
  /** The keys of their parts in the artifact store, in order; null: they are in Postgres. */
  storeKeys: readonly string[] | null;
  /** Reads them from Postgres, part by part. */
  read(): AsyncIterable<Uint8Array>;
}
