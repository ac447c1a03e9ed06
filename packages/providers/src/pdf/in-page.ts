/**
 * What runs inside a document, beside its own scripts, which are off. Each function is sent there as its text, so it
 * may use nothing from outside itself.
 */

/** As much of a page as these functions touch. */
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

/** Leaves every image with the one address that `src` names, and gives those addresses. */
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

/** Puts a picture in the place of an address. */
export function fillImages(address: string, dataUrl: string): void {
  for (const image of document.querySelectorAll('img')) if (image.src === address) image.src = dataUrl;
}

/** Resolves when every picture can be painted. Those that cannot are left out, without the sign of a broken one. */
export async function settleImages(): Promise<void> {
  const images = [...document.querySelectorAll('img')];
  const decoded = await Promise.allSettled(images.map((image) => image.decode()));
  decoded.forEach(({ status }, i) => {
    if (status === 'rejected') images[i]?.removeAttribute('src');
  });
}
