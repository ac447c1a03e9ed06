import { HtmlFrame, looksLikeHtml } from '../../ui/index.js';

/** What the reader sees: text as it is written, HTML in its frame. */
export function BodyFrame({ body, title }: { body: string; title: string }) {
  if (!looksLikeHtml(body)) {
    return (
      <pre className="rounded-card border border-line bg-surface p-4 font-sans text-body wrap-anywhere whitespace-pre-wrap">
        {body}
      </pre>
    );
  }
  return (
    <div className="overflow-clip rounded-card border border-line">
      <HtmlFrame html={body} title={`Body: ${title}`} className="h-96 lg:h-[28rem]" />
    </div>
  );
}
