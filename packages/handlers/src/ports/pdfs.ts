/** A loaded image of a document. */
export interface LoadedImage {
  contentType: string;
  bytes: Uint8Array;
}

export interface PdfRequest {
  /** A complete HTML document, or a part of one. */
  html: string;
  /**
   * Called once, with the http and https addresses of all `img` elements, in the order of the document and without
   * duplicates. An image that it does not return is left out. Nothing else is ever loaded. If it rejects, the rendering
   * rejects.
   */
  loadImages(urls: readonly string[]): Promise<ReadonlyMap<string, LoadedImage>>;
  signal: AbortSignal;
}

export interface Pdf {
  bytes: Uint8Array;
  /** Null if the pages could not be counted. */
  pages: number | null;
}

/**
 * Renders HTML with a browser whose scripts and network are disabled. Throws PermanentError for a document that is too
 * large; HandlerError `timeout` if it takes too long, `handler_error` if it needs too much memory, and
 * `provider_unavailable` if there is no browser; or the reason of the signal if the signal is aborted.
 */
export interface Pdfs {
  render(request: PdfRequest): Promise<Pdf>;
}
