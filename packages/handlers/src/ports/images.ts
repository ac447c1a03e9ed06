/** The formats that are read and written. */
export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'avif';

export interface CompressOptions {
  /** In pixels; a narrower image keeps its width. */
  width?: number | undefined;
  /** 1 to 100. */
  quality: number;
  signal: AbortSignal;
}

export interface CompressedImage {
  bytes: Uint8Array;
  format: ImageFormat;
  width: number;
  height: number;
  /** What it was before, upright. */
  before: { width: number; height: number };
}

/**
 * Makes images smaller. Throws PermanentError, with a sentence, for what is not a whole, still image of a known format
 * and a bearable number of pixels; HandlerError `timeout` when it takes too long; RetryLater when too many wait; the
 * signal's reason when that fired, and then nothing works on the image any more.
 */
export interface Images {
  /**
   * Re-encodes an image in its own format, upright and without its metadata. It never gets wider than it was. An image
   * that keeps its size and has no metadata to lose comes back as it was if re-encoding would only make it larger.
   */
  compress(source: Uint8Array, options: CompressOptions): Promise<CompressedImage>;
}
