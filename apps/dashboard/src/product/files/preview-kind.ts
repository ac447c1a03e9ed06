export type PreviewKind = 'image' | 'pdf' | 'none';

/** Images that can hold no script. SVG can. */
const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];

export interface Viewer {
  pdfViewerEnabled: boolean;
  finePointer: boolean;
}

/** How a file may be shown. iOS says that it has a PDF viewer, then fails in a frame: hence the pointer. */
export function previewKind(contentType: string, { pdfViewerEnabled, finePointer }: Viewer): PreviewKind {
  const type = contentType.split(';', 1).join('').trim().toLowerCase();
  if (IMAGES.includes(type)) return 'image';
  return type === 'application/pdf' && pdfViewerEnabled && finePointer ? 'pdf' : 'none';
}
