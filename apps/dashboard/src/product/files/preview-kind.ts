export type PreviewKind = 'image' | 'pdf' | 'none';

/** Image types that cannot contain scripts. SVG can. */
const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];

export interface Viewer {
  pdfViewerEnabled: boolean;
  finePointer: boolean;
}

/** How a file can be previewed. iOS reports a PDF viewer but fails in a frame, so a fine pointer is required too. */
export function previewKind(contentType: string, { pdfViewerEnabled, finePointer }: Viewer): PreviewKind {
  const type = contentType.split(';', 1).join('').trim().toLowerCase();
  if (IMAGES.includes(type)) return 'image';
  return type === 'application/pdf' && pdfViewerEnabled && finePointer ? 'pdf' : 'none';
}
