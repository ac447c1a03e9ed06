/** Where the bytes of artifacts are if not in Postgres, which knows of all of them. Each of these throws ProviderFailure. */
export interface ArtifactStore {
  /** Keeps a file; what was kept under the same key is replaced. */
  put(key: string, file: { contentType: string; bytes: Uint8Array }, signal: AbortSignal): Promise<void>;
  /** Null: there is no such file. */
  read(key: string): Promise<AsyncIterable<Uint8Array> | null>;
  /** Deletes all files whose keys begin so. */
  deleteUnder(prefix: string): Promise<void>;
  close(): void;
}
