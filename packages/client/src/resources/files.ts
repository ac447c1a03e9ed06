import type { BodyOf, QueryOf } from '../operations.js';
import type { RequestOptions } from '../options.js';
import type { Link, StoredFile } from '../types.js';
import { Resource } from './resource.js';

/** What a file is made of. It can be sent again after a network error, so it is no stream. */
export type FileContent = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | string;

export type UploadOptions = QueryOf<'uploadFile'> &
  RequestOptions & { /** Default: that of a Blob, or unknown. */ contentType?: string };
export type LinkOptions = BodyOf<'linkFile'> & RequestOptions;

/** Files from which jobs can take bytes. */
export class Files extends Resource {
  get = this.byId('getFile');
  /** One page of files, newest first. */
  list = this.pageOf('listFiles');
  delete = this.byId('deleteFile');

  /**
   * Uploads a file. A job takes its bytes with `{ file: id }`.
   *
   * @example
   * const { id } = await jobline.files.upload(new Blob([bytes], { type: 'image/png' }), { name: 'photo.png' });
   * await jobline.jobs.submit('compress_image', { source: { file: id }, width: 400 });
   */
  upload(content: FileContent, { name, days, contentType, ...options }: UploadOptions): Promise<StoredFile> {
    const own = content instanceof Blob ? content.type : '';
    const headers = { 'content-type': contentType ?? (own || 'application/octet-stream') };
    const query = { name, ...(days !== undefined && { days }) };
    return this.client.upload('uploadFile', { query, content, headers }, options);
  }

  /** The file as a response: read it with `arrayBuffer()`, or as a stream from `body`. */
  content(id: string, options?: RequestOptions): Promise<Response> {
    return this.client.open('getFileContent', { path: { id }, headers: { accept: '*/*' } }, options);
  }

  /** A URL with which anybody can fetch the file, for a day unless `expires_in` says otherwise. */
  link(id: string, { expires_in, ...options }: LinkOptions = {}): Promise<Link> {
    const body = expires_in === undefined ? {} : { expires_in };
    return this.client.call('linkFile', { path: { id }, body }, options);
  }
}
