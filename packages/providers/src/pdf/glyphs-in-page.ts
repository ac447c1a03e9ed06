/**
 * A function that runs inside a document, like those of in-page.ts. It is sent to the page as text, so it must not use
 * anything outside itself.
 */

/** The part of the DOM that the function uses. */
interface PageElement {
  readonly textContent: string;
  /** Of fields. */
  readonly value: string;
  readonly placeholder: string;
  /** Of images. */
  readonly alt: string;
  getAttribute(name: string): string | null;
  matches(selector: string): boolean;
  querySelectorAll(selector: string): Iterable<PageElement>;
  checkVisibility(options: { visibilityProperty: boolean }): boolean;
}
interface PageText {
  readonly data: string;
  readonly parentElement: PageElement | null;
}
declare const document: {
  readonly documentElement: PageElement;
  createTreeWalker(root: PageElement, what: number): { nextNode(): PageText | null };
};
declare function getComputedStyle(
  element: PageElement,
  pseudo?: string,
): Record<'content' | 'display' | 'fontFamily' | 'listStyleType', string>;
declare class OffscreenCanvas {
  constructor(width: number, height: number);
  getContext(kind: '2d'): {
    font: string;
    measureText(text: string): Record<`actualBoundingBox${'Ascent' | 'Descent' | 'Left' | 'Right'}` | 'width', number>;
  };
}

export interface GlyphLimits {
  /** How many different characters are checked. */
  characters: number;
  /** The check ends after so many that seem to be missing: Chromium looks for each of them in every font. */
  missing: number;
  ms: number;
}

/** The characters of a document for which there is no glyph. */
export interface MissingGlyphs {
  /** In the order of their code points. */
  characters: string[];
  /** How many characters were not checked, because a limit was reached. */
  unchecked: number;
}

/**
 * Finds the visible characters that neither a font of the machine nor one of the document can draw. Chromium draws the
 * same box for each of them, that of the first font, so they have the extent of a character that no font has.
 * Characters that are drawn as nothing are not counted. The texts are those of elements, `::before` and `::after`, the
 * values of fields, the `alt` of images that are not drawn, and the markers of lists that the document writes itself.
 */
export function missingGlyphs({ characters: maxCharacters, missing: maxMissing, ms }: GlyphLimits): MissingGlyphs {
  const end = performance.now() + ms;
  const isLate = () => performance.now() > end;
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  const extentOf = (family: string, text: string): string => {
    context.font = `64px ${family}`;
    const size = context.measureText(text);
    const { actualBoundingBoxLeft: left, actualBoundingBoxRight: right, actualBoundingBoxAscent: top } = size;
    return [size.width, left, right, top, size.actualBoundingBoxDescent].join();
  };
  const boxes = new Map<string, string>();
  const isDrawn = (family: string, character: string): boolean => {
    const box = boxes.get(family) ?? extentOf(family, '\u{10ffff}');
    boxes.set(family, box);
    return extentOf(family, character) !== box;
  };
  const othersThanAscii = (text: string) => new Set(text.replace(/[\0-\x7f]+/g, ''));

  // First without the fonts of the document, which is fast: most documents have no such characters.
  const root = document.documentElement;
  let text = root.textContent;
  for (const sheet of root.querySelectorAll('style')) {
    text += sheet.textContent.replace(/\\([0-9a-f]{2,6})/gi, (written, code: string) => {
      const point = Number.parseInt(code, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : written;
    });
  }
  const attributes = ['value', 'placeholder', 'alt', 'style'];
  for (const element of root.querySelectorAll(`[${attributes.join('],[')}]`))
    for (const name of attributes) text += element.getAttribute(name) ?? '';
  const candidates = new Set<string>();
  let [checked, unchecked] = [0, 0];
  for (const character of othersThanAscii(text)) {
    if (/[\p{Cc}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(character)) continue;
    if (checked === maxCharacters || candidates.size === maxMissing || isLate()) {
      unchecked++;
      continue;
    }
    checked++;
    if (!['sans-serif', 'serif', 'monospace'].some((family) => isDrawn(family, character))) candidates.add(character);
  }

  // Then where each of them is used, with the fonts of that place.
  const missing = new Set<string>();
  const check = (shown: string, family: () => string): void => {
    for (const character of othersThanAscii(shown)) {
      if (!candidates.has(character) || isDrawn(family(), character)) continue;
      candidates.delete(character);
      missing.add(character);
    }
  };
  const texts = document.createTreeWalker(root, 4);
  for (let node = texts.nextNode(); node && candidates.size > 0 && !isLate(); node = texts.nextNode()) {
    const { data, parentElement: element } = node;
    if (element && /[^\0-\x7f]/.test(data) && element.checkVisibility({ visibilityProperty: true }))
      check(data, () => getComputedStyle(element).fontFamily);
  }
  const noText = ['hidden', 'checkbox', 'radio', 'password', 'file', 'image', 'range', 'color'];
  const textFields = `input:not(${noText.map((type) => `[type=${type}]`).join()}), textarea`;
  const textOf = (element: PageElement): string => {
    if (element.matches(textFields)) return element.value || element.placeholder;
    if (element.matches('img:not([src])')) return element.alt;
    const { display, listStyleType } = getComputedStyle(element);
    // The text of a marker with other content, or a name, such as `decimal`.
    return display === 'list-item' && getComputedStyle(element, '::marker').content === 'normal' ? listStyleType : '';
  };
  if (candidates.size > 0) {
    for (const element of root.querySelectorAll('*')) {
      if (candidates.size === 0 || isLate()) break;
      const own = textOf(element);
      if (/[^\0-\x7f]/.test(own) && element.checkVisibility({ visibilityProperty: true }))
        check(own, () => getComputedStyle(element).fontFamily);
      for (const pseudo of ['::before', '::after', '::marker']) {
        const style = getComputedStyle(element, pseudo);
        if (/[^\0-\x7f]/.test(style.content)) check(style.content, () => style.fontFamily);
      }
    }
  }
  // Without time to look for them, they count as missing.
  if (isLate()) for (const character of candidates) missing.add(character);
  const byCode = (a: string, b: string) => (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0);
  return { characters: [...missing].sort(byCode), unchecked };
}
