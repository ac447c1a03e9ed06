import { useEffect, useState } from 'react';
import { cx, useMedia } from '../ui/index.js';

/** Returns a `blob:` URL of the blob, and revokes it when the component no longer shows it. */
function useBlobUrl(blob: Blob | undefined): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!blob) return;
    const created = URL.createObjectURL(blob);
    setUrl(created);
    return () => {
      setUrl(null);
      URL.revokeObjectURL(created);
    };
  }, [blob]);
  return url;
}

/** How files of this type can be previewed. If it is `none`, the content need not be loaded. */
export function usePreviewKind(contentType: string): PreviewKind {
  const finePointer = useMedia('(pointer: fine)');
  return previewKind(contentType, { pdfViewerEnabled: navigator.pdfViewerEnabled, finePointer });
}

/**
 * Previews images and, if the browser supports it, PDFs. Other files can only be downloaded, because they could contain
 * scripts. `blob`: undefined while the content loads.
 */
export function FilePreview({ kind, blob, name }: { kind: PreviewKind; blob: Blob | undefined; name: string }) {
  const url = useBlobUrl(blob);
  return (
    <div
      className={cx(
        'grid place-items-center border-t border-line bg-sunken',
        kind === 'pdf' ? 'h-[70vh]' : 'min-h-32 p-3',
      )}
    >
      {url && kind === 'image' && <img src={url} alt={name} className="max-h-112 max-w-full object-contain" />}
      {url && kind === 'pdf' && <iframe src={url} title={name} className="size-full" />}
    </div>
  );
}

type PreviewKind = 'image' | 'pdf' | 'none';

/** Image types that cannot contain scripts. SVG can. */
const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];

/** How a file can be previewed. iOS reports a PDF viewer but fails in a frame, so a fine pointer is required too. */
export function previewKind(
  contentType: string,
  browser: { pdfViewerEnabled: boolean; finePointer: boolean },
): PreviewKind {
  const type = contentType.split(';', 1).join('').trim().toLowerCase();
  if (IMAGES.includes(type)) return 'image';
  return type === 'application/pdf' && browser.pdfViewerEnabled && browser.finePointer ? 'pdf' : 'none';
}
