import type { StoredBytes } from '@jobline/db';
import type { Deps } from '../deps.js';
import { notFound } from '../http/errors.js';
import { stream } from '../http/response-specs.js';

/** The response with a file or an artifact. */
export const download = stream('The file, as an attachment with its own content type.', '*/*', [
  'Content-Disposition',
  'Content-Security-Policy',
  'X-Content-Type-Options',
  'ETag',
]);

/**
 * Answers with a file as a download only: a browser must not show a tenant's file as a page of this service, where it would have
 * the rights of this origin.
 */
export async function downloadOf(deps: Deps<'readStored'>, stored: StoredBytes) {
  const bytes = await deps.readStored(stored);
  if (!bytes) throw notFound();
  return {
    status: 200 as const,
    stream: bytes,
    headers: {
      'Content-Type': stored.contentType,
      'Content-Length': String(stored.sizeBytes),
      'Content-Disposition': attachmentNamed(stored.name),
      'Content-Security-Policy': 'sandbox',
      'X-Content-Type-Options': 'nosniff',
      ETag: `"${stored.sha256.toString('hex')}"`,
    },
  };
}

/** The header with the name, and for clients that read only ASCII a similar name. */
function attachmentNamed(name: string): string {
  const ascii = name.replace(/[^ -~]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"${ascii === name ? '' : `; filename*=UTF-8''${encoded}`}`;
}
