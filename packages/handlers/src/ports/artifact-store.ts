/**
 * The store for the bytes of artifacts, if they are not in Postgres. Postgres has a row for each artifact in any case.
 * All methods throw ProviderFailure.
 */
export interface ArtifactStore {
  /** Stores a file. It replaces a file with the same key. */
  put(key: string, file: { contentType: string; bytes: Uint8Array }, signal: AbortSignal): Promise<void>;
  /** Null if there is no such file. */
  read(key: string): Promise<AsyncIterable<Uint8Array> | null>;
  /** Deletes all files whose keys start with the prefix. */
  deleteUnder(prefix: string): Promise<void>;
  close(): void;
}
