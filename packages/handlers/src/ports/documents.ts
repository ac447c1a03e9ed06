import type { JsonObject, OrgId } from '@jobline/contracts';

/**
 * The format of a filled template. In `html` and `document`, data is escaped. The limit of a `document` is 2 MiB, that
 * of the others 1 MiB.
 */
export type TemplateFormat = 'html' | 'text' | 'document';

export interface Filled {
  text: string;
  /** The variables that the data lacks; they are empty in the text. Variables that are only tested are not included. */
  missing: readonly string[];
}

/** The built-in document templates. */
export type BuiltInTemplate = 'invoice' | 'receipt' | 'report';

export interface DocumentOptions {
  /** The built-in template that the source is: its data is checked, and its sums are computed. */
  builtIn?: BuiltInTemplate | undefined;
  /** The IANA name of the time zone for times that have an offset. Without it, they are shown as written. */
  timezone?: string | undefined;
}

/**
 * Fills Liquid templates of tenants. They can read only `data`, and their time, memory and output are limited. Throws
 * PermanentError, with the position, for a template that is invalid, endless or too large; RetryLater if too many texts
 * wait; or the reason of the signal if the signal is aborted. Organizations take turns, so an organization with many
 * texts does not delay others.
 */
export interface Liquid {
  fill(
    orgId: OrgId,
    source: string,
    data: JsonObject,
    format: TemplateFormat,
    signal?: AbortSignal,
    document?: DocumentOptions,
  ): Promise<Filled>;
  /** The variables of a text, in the order of their first use. */
  variables(orgId: OrgId, source: string, signal?: AbortSignal): Promise<string[]>;
}

/** Liquid and the stored templates of organizations. */
export interface Templates extends Liquid {
  /** The source of a stored document template of an organization, or null. */
  find(orgId: OrgId, name: string): Promise<string | null>;
}

export interface PdfRequest {
  /** A complete HTML document, or a part of one. */
  html: string;
  /**
   * Called once, with the http and https addresses of all `img` elements, in the order of the document and without
   * duplicates. Returns the files by address. What kind of image a file is, its bytes decide. An image that is not
   * returned is left out. Nothing else is ever loaded. If it rejects, the rendering rejects.
   */
  loadImages(urls: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  signal: AbortSignal;
}

export type LeftOutPart = 'font' | 'frame' | 'image' | 'object' | 'style sheet' | 'video or audio';

/** A part of a document that its PDF lacks. */
export interface LeftOut {
  part: LeftOutPart;
  /** As in the document, perhaps with a query that contains a secret. A relative address is relative to the document. */
  address: string;
  reason?: string;
}

export interface Pdf {
  bytes: Uint8Array;
  /** The parts that were not loaded, except for images that `loadImages` did not return. */
  leftOut: readonly LeftOut[];
  /** The characters for which no font has a glyph, in the order of their code points. */
  missingGlyphs: readonly string[];
  /** How many different characters there was no time to look for. */
  uncheckedGlyphs: number;
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

/** The supported formats. */
export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'avif';

export interface CompressOptions {
  /** In pixels. A narrower image keeps its width. */
  width?: number | undefined;
  /** 1 to 100. */
  quality: number;
  /** Absent: that of the source. */
  format?: ImageFormat | undefined;
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
   * Re-encodes an image, upright and without its metadata. It never becomes wider. An
   * image that has no metadata and is not resized is returned unchanged if re-encoding would make the file larger.
   */
  compress(source: Uint8Array, options: CompressOptions): Promise<CompressedImage>;
}

/** The length of a summary: a number of sentences, or a named length. */
export type SummaryLength = 'short' | 'medium' | 'long' | number;

export interface SummaryRequest {
  text: string;
  length: SummaryLength;
  signal: AbortSignal;
}

export interface Summary {
  summary: string;
  /** The model: `local-extractive`, or the name of a language model. */
  model: string;
}

/**
 * Summarizes texts. Throws ProviderFailure if a provider fails or rejects the request, or the reason of the signal if
 * the signal is aborted.
 */
export interface Summarizer {
  summarize(request: SummaryRequest): Promise<Summary>;
}

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
