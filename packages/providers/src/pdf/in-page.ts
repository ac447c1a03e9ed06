/**
 * The functions that run inside a document. Its own scripts are disabled. Each function is sent to the page as text, so
 * it must not use anything outside itself.
 */

/** The part of the DOM that these functions use. */
interface PageImage {
  src: string;
  readonly currentSrc: string;
  loading: string;
  readonly parentElement: { querySelectorAll(selector: 'source'): Iterable<PageElement> } | null;
  getAttribute(name: string): string | null;
  removeAttribute(name: string): void;
  decode(): Promise<void>;
}
interface PageElement {
  remove(): void;
}
interface PageLink {
  href: string;
}
declare const document: {
  createElement(name: 'a'): PageLink;
  querySelectorAll(selector: 'img'): Iterable<PageImage>;
  querySelectorAll(selector: 'link:not([rel~=stylesheet])'): Iterable<PageLink>;
};

export interface KnownAddresses {
  /** The `src` of each `img` element, in the order of the document. Empty if it has none. */
  images: string[];
  /** What Chromium has requested although it is not missing: for `img` elements with a `src`, and for links such as the icon. */
  requested: string[];
}

/** Returns the addresses, and reduces every image to the one in `src`. */
export function knownAddresses(): KnownAddresses {
  const images = [...document.querySelectorAll('img')];
  const sources = images.map((image) => (image.getAttribute('src') ? image.src : ''));
  const requested = [...document.querySelectorAll('link:not([rel~=stylesheet])')].map((link) => link.href);
  const link = document.createElement('a'); // makes an address complete
  images.forEach(({ currentSrc }, i) => {
    link.href = currentSrc;
    if (sources[i]) requested.push(link.href);
  });
  for (const image of images) {
    image.removeAttribute('srcset');
    image.loading = 'eager';
    for (const source of image.parentElement?.querySelectorAll('source') ?? []) source.remove();
  }
  return { images: sources, requested };
}

/** Replaces an address by the image itself. */
export function fillImages(address: string, dataUrl: string): void {
  for (const image of document.querySelectorAll('img')) if (image.src === address) image.src = dataUrl;
}

/**
 * Resolves when all images can be painted. An image that cannot be decoded is left out, without the symbol of a broken
 * image. Returns the positions of these images.
 */
export async function settleImages(): Promise<number[]> {
  const images = [...document.querySelectorAll('img')];
  const decoded = await Promise.allSettled(images.map((image) => image.decode()));
  const leftOut = [...decoded.keys()].filter((i) => decoded[i]?.status === 'rejected');
  for (const i of leftOut) images[i]?.removeAttribute('src');
  return leftOut;
}
