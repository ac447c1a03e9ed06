import { ImageOff } from 'lucide-react';
import { useMemo } from 'react';
import { formatCount } from '../format/index.js';
import { cx } from '../ui/index.js';

export { isHtml as looksLikeHtml } from '@jobline/contracts';

/**
 * Shows untrusted HTML in a frame without scripts, navigation or network access. The background is white in every
 * theme.
 */
export function HtmlFrame({ html, title, className }: { html: string; title: string; className: string }) {
  const { html: safe, blocked } = useMemo(() => safeDocument(html), [html]);
  return (
    <>
      {blocked > 0 && (
        <p className="flex items-center gap-2 border-b border-line bg-sunken px-3 py-2 text-meta text-muted">
          <ImageOff size={14} className="shrink-0" />
          {formatCount(blocked, 'remote image')} blocked here, so that this preview notifies no one. Recipients may see
          them.
        </p>
      )}
      <iframe title={title} sandbox="" srcDoc={safe} className={cx('block w-full', className)} />
    </>
  );
}

/** Elements that run code, load resources or navigate without user action. */
const REMOVED = 'script, base, meta, link, iframe, frame, frameset, object, embed, applet, noscript, template';
/** Attributes with which elements load resources. */
const LOADING = ['src', 'srcset', 'poster', 'background', 'data', 'href', 'xlink:href'];

/** Emails are designed for a white background. System colors follow the color scheme of the frame. */
const PAPER =
  'html{color-scheme:light;background:Canvas;color:CanvasText;font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}body{margin:16px}img{max-width:100%;height:auto}';

/**
 * Prepares the HTML of an email for a frame with `sandbox=""` and the content security policy of the page. Removes what
 * the frame would block anyway, so that the console shows no errors, and counts the removed remote images. The sandbox
 * and the policy are the protection; this function only makes the result clean and countable.
 */
function safeDocument(body: string): { html: string; blocked: number } {
  const parsed = new DOMParser().parseFromString(body, 'text/html');
  for (const element of parsed.querySelectorAll(REMOVED)) element.remove();
  let blocked = 0;
  for (const element of parsed.querySelectorAll('*')) {
    if (element.localName === 'a' || element.localName === 'area') {
      disableLink(element);
      continue;
    }
    const remote = LOADING.filter((name) => isRemote(element.getAttribute(name)));
    for (const name of remote) element.removeAttribute(name);
    if (element.localName === 'img' && remote.length > 0) replaceWithAltText(element);
    const style = element.getAttribute('style');
    const without = style === null ? null : withoutUrls(style);
    if (without !== null && without !== style) element.setAttribute('style', without);
    if (remote.length > 0 || without !== style) blocked += 1;
    for (const { name } of [...element.attributes]) if (name.startsWith('on')) element.removeAttribute(name);
  }
  for (const style of parsed.querySelectorAll('style')) style.textContent = withoutUrls(style.textContent ?? '');
  const paper = parsed.createElement('style');
  paper.textContent = PAPER;
  parsed.head.prepend(paper);
  return { html: `<!doctype html>${parsed.documentElement.outerHTML}`, blocked };
}

/** Removes the target of a link and shows it as the title. */
function disableLink(link: Element): void {
  const href = link.getAttribute('href');
  if (href === null) return;
  link.removeAttribute('href');
  link.setAttribute('title', href);
  link.setAttribute('style', `${withoutUrls(link.getAttribute('style') ?? '')};text-decoration:underline`);
}

/** Shows the alternative text instead of the browser's icon for a broken image. */
function replaceWithAltText(image: Element): void {
  const words = image.ownerDocument.createElement('span');
  words.textContent = image.getAttribute('alt') ?? '';
  image.replaceWith(words);
}

function isRemote(value: string | null): boolean {
  return value !== null && value.trim() !== '' && !/^\s*(data:|#)/i.test(value);
}

/** `url(` up to the closing parenthesis. Without one it extends to the end of the text, as in browsers. */
const CSS_URL = /url\(([^)]*)\)?/gi;
const CSS_IMPORT = /@import[^;]*;?/gi;
const INLINE_URL = /^\s*["']?data:/i;

/**
 * Removes everything from a style that would load a remote resource. Each pattern consumes what it has examined, so the
 * time is linear in the length of the text, whatever the text contains.
 */
export function withoutUrls(css: string): string {
  return css
    .replace(CSS_IMPORT, '')
    .replace(CSS_URL, (url, address: string) => (INLINE_URL.test(address.slice(0, MAX_PREFIX_CHARS)) ? url : 'none'));
}

/** How many characters of a URL are examined for the prefix `data:`. */
const MAX_PREFIX_CHARS = 100;
