import { convert } from 'html-to-text';

/** Elements below this depth are left out, and the text part of a longer email is left out. In characters. */
const MAX_DEPTH = 100;
const MAX_LENGTH = 1024 * 1024;

/** Makes the text part of an email from its HTML. Null: it would be too long. The time grows with the square of the depth of the HTML. */
export function textPartOf({ html }: { html: string }): string | null {
  const text = convert(html, {
    wordwrap: false,
    limits: { maxDepth: MAX_DEPTH },
    selectors: [
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
      { selector: 'img', format: 'skip' },
    ],
  });
  return text.length > MAX_LENGTH ? null : text;
}
