import { HtmlFrame, looksLikeHtml } from '../../product/html-frame.js';

export interface BodyFrameProps {
  body: string;
  title: string;
  /** The CSS classes for the height of the frame. Plain text ignores them. */
  className: string;
}

/** Shows the body as the recipient sees it: plain text as written, HTML in a sandboxed frame. */
export function BodyFrame({ body, title, className }: BodyFrameProps) {
  if (!looksLikeHtml(body)) {
    return (
      <pre className="rounded-card border border-line bg-surface p-4 font-sans text-body wrap-anywhere whitespace-pre-wrap">
        {body}
      </pre>
    );
  }
  return (
    <div className="flex grow flex-col overflow-clip rounded-card border border-line">
      <HtmlFrame html={body} title={`Body: ${title}`} className={className} />
    </div>
  );
}
