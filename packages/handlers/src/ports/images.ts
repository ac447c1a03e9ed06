/** The supported formats. */
export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'avif';

export interface CompressOptions {
  /** In pixels. A narrower image keeps its width. */
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
  /** The size before, after applying the rotation of the metadata. */
  before: { width: number; height: number };
}

/**
 * Compresses images. Throws PermanentError for a file that is damaged, animated, too large or not in a supported
 * format; HandlerError `timeout` if it takes too long; RetryLater if too many images wait; or the reason of the signal
 * if the signal is aborted. Then the work on the image has stopped.
 */
export interface Images {
  /**
   * Re-encodes an image in its own format, upright and without its metadata. It never becomes wider. An
   * image that has no metadata and is not resized is returned unchanged if re-encoding would make the file larger.
   */
  compress(source: Uint8Array, options: CompressOptions): Promise<CompressedImage>;
}
