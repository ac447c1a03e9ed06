import { ImageOff } from 'lucide-react';
import { useMemo } from 'react';
import { formatCount } from '../../format/index.js';
import { cx } from '../../ui/index.js';
import { safeDocument } from './safe-document.js';

export interface HtmlFrameProps {
  html: string;
  /** The name of the frame. */
  title: string;
  className?: string | undefined;
}

/**
 * Shows untrusted HTML in a frame without scripts, navigation or network access. The background is white in every
 * theme.
 */
export function HtmlFrame({ html, title, className }: HtmlFrameProps) {
  const { html: safe, blocked } = useMemo(() => safeDocument(html), [html]);
  return (
    <>
      {blocked > 0 && (
        <p className="flex items-center gap-2 border-b border-line bg-sunken px-3 py-2 text-meta text-muted">
          <ImageOff aria-hidden="true" size={14} className="shrink-0" />
          {formatCount(blocked, 'remote image')} blocked here, so that this preview notifies no one. Recipients may see
          them.
        </p>
      )}
      <iframe title={title} sandbox="" srcDoc={safe} className={cx('block w-full', className)} />
    </>
  );
}
