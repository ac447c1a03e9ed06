/**
 * The functions that run inside a document. Its own scripts are disabled. Each function is sent to the page as text, so
 * it must not use anything outside itself.
 */

/** The part of the DOM that these functions use. */
interface PageImage {
  src: string;
  loading: string;
  readonly parentElement: { querySelectorAll(selector: 'source'): Iterable<PageElement> } | null;
  removeAttribute(name: string): void;
  decode(): Promise<void>;
}
interface PageElement {
  remove(): void;
}
declare const document: { querySelectorAll(selector: 'img'): Iterable<PageImage> };

/** Reduces every image to the one address in `src`, and returns these addresses. */
export function imageAddresses(): string[] {
  const addresses = new Set<string>();
  for (const image of document.querySelectorAll('img')) {
    image.removeAttribute('srcset');
    image.loading = 'eager';
    for (const source of image.parentElement?.querySelectorAll('source') ?? []) source.remove();
    addresses.add(image.src);
  }
  return [...addresses];
}

/** Replaces an address by the image itself. */
export function fillImages(address: string, dataUrl: string): void {
  for (const image of document.querySelectorAll('img')) if (image.src === address) image.src = dataUrl;
}

/**
 * Resolves when all images can be painted. An image that cannot be decoded is left out, without the symbol of a broken
 * image.
 */
export async function settleImages(): Promise<void> {
  const images = [...document.querySelectorAll('img')];
  const decoded = await Promise.allSettled(images.map((image) => image.decode()));
  decoded.forEach(({ status }, i) => {
    if (status === 'rejected') images[i]?.removeAttribute('src');
  });
}
