import { ImageOff } from 'lucide-react';
import { useMemo } from 'react';
import { formatCount } from '../../format/index.js';
import { cx } from '../../ui/index.js';
import { safeDocument } from './safe-document.js';

export interface HtmlFrameProps {
  html: string;
  /** Names the frame. */
  title: string;
  className?: string | undefined;
}

/** Somebody's HTML in a frame that runs nothing, goes nowhere and fetches nothing. White as paper, whatever the theme. */
export function HtmlFrame({ html, title, className }: HtmlFrameProps) {
  const { html: safe, blocked } = useMemo(() => safeDocument(html), [html]);
  return (
    <>
      {blocked > 0 && (
        <p className="flex items-center gap-2 border-b border-line bg-sunken px-3 py-2 text-meta text-muted">
          <ImageOff aria-hidden="true" size={14} className="shrink-0" />
          {formatCount(blocked, 'remote image')} blocked here, so that looking at it tells nobody. Readers may see them.
        </p>
      )}
      <iframe title={title} sandbox="" srcDoc={safe} className={cx('block w-full', className)} />
    </>
  );
}
