/** A picture for a document, fetched. */
export interface LoadedImage {
  contentType: string;
  bytes: Uint8Array;
}

export interface PdfRequest {
  /** A whole document or a part of one. */
  html: string;
  /**
   * Asked once, for the http and https addresses that `src` of an `img` names, in the order of the document and each
   * once. What it does not give is left out. Nothing else is ever fetched. If it rejects, so does the rendering.
   */
  loadImages(urls: readonly string[]): Promise<ReadonlyMap<string, LoadedImage>>;
  signal: AbortSignal;
}

export interface Pdf {
  bytes: Uint8Array;
  /** Null if they could not be counted. */
  pages: number | null;
}

/**
 * Prints HTML by a browser whose scripts and network are off. Throws PermanentError for a document that is too large,
 * HandlerError `timeout` for one that takes too long, `handler_error` for one that needs too much memory,
 * `provider_unavailable` when there is no browser, and the signal's reason when that fired.
 */
export interface Pdfs {
  render(request: PdfRequest): Promise<Pdf>;
}
