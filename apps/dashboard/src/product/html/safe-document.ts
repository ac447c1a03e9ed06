import { withoutUrls } from './css-urls.js';

/** An email's HTML as it may be shown: for a frame with `sandbox=""`, under the page's own policy. */

/** What runs, loads or leads elsewhere by itself. */
const REMOVED = 'script, base, meta, link, iframe, frame, frameset, object, embed, applet, noscript, template';
/** Attributes by which elements load something. */
const LOADING = ['src', 'srcset', 'poster', 'background', 'data', 'href', 'xlink:href'];

/** Mail is written for white paper; system colours keep to the frame's own scheme. */
const PAPER =
  'html{color-scheme:light;background:Canvas;color:CanvasText;font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}body{margin:16px}img{max-width:100%;height:auto}';

/**
 * The document without what the frame would refuse anyhow, so that nothing is refused aloud, and how many remote images
 * that were. The frame and the policy are the guard; this is for telling.
 */
export function safeDocument(body: string): { html: string; blocked: number } {
  const parsed = new DOMParser().parseFromString(body, 'text/html');
  for (const element of parsed.querySelectorAll(REMOVED)) element.remove();
  let blocked = 0;
  for (const element of parsed.querySelectorAll('*')) {
    if (element.localName === 'a' || element.localName === 'area') {
      keepAsTitle(element);
      continue;
    }
    const remote = LOADING.filter((name) => isRemote(element.getAttribute(name)));
    for (const name of remote) element.removeAttribute(name);
    if (element.localName === 'img' && remote.length > 0) standIn(element);
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

/** A link says where it leads and leads nowhere. */
function keepAsTitle(link: Element): void {
  const href = link.getAttribute('href');
  if (href === null) return;
  link.removeAttribute('href');
  link.setAttribute('title', href);
  link.setAttribute('style', `${withoutUrls(link.getAttribute('style') ?? '')};text-decoration:underline`);
}

/** Its words, rather than the sign for a broken image. */
function standIn(image: Element): void {
  const words = image.ownerDocument.createElement('span');
  words.textContent = image.getAttribute('alt') ?? '';
  image.replaceWith(words);
}

function isRemote(value: string | null): boolean {
  return value !== null && value.trim() !== '' && !/^\s*(data:|#)/i.test(value);
}
