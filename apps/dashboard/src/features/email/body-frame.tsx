import { ImageOff } from 'lucide-react';
import { useMemo } from 'react';
import { formatCount } from '../../ui/index.js';
import { safeDocument } from './body-document.js';
import { looksLikeHtml } from './looks-like-html.js';

/** What the reader sees, in a frame that runs nothing, goes nowhere and fetches nothing. */
export function BodyFrame({ body, title }: { body: string; title: string }) {
  const isHtml = looksLikeHtml(body);
  const { html, blocked } = useMemo(() => (isHtml ? safeDocument(body) : { html: '', blocked: 0 }), [body, isHtml]);
  if (!isHtml) {
    return (
      <pre className="rounded-card border border-line bg-surface p-4 font-sans text-body wrap-anywhere whitespace-pre-wrap">
        {body}
      </pre>
    );
  }
  return (
    <div className="overflow-clip rounded-card border border-line">
      {blocked > 0 && (
        <p className="flex items-center gap-2 border-b border-line bg-sunken px-3 py-2 text-meta text-muted">
          <ImageOff aria-hidden="true" size={14} className="shrink-0" />
          {formatCount(blocked, 'remote image')} blocked here, so that looking at it tells nobody. Readers may see them.
        </p>
      )}
      {/* White as in most mail programs, whatever the theme. */}
      <iframe title={`Body: ${title}`} sandbox="" srcDoc={html} className="block h-96 w-full lg:h-[28rem]" />
    </div>
  );
}
