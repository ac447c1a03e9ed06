/** Elements that an email may begin or consist of without a closing tag. */
const ELEMENTS =
  'html|head|body|title|meta|style|div|p|span|a|b|i|u|em|strong|h[1-6]|ul|ol|li|table|tr|td|br|hr|img|blockquote|pre|center|font';

/** A closing tag, a document type, or an element as it is written: mere `<` and `>` do not make a text HTML. */
const HTML = new RegExp(`</[a-z][a-z0-9]*\\s*>|<!doctype\\s+html|<(?:${ELEMENTS})(?:\\s[^<>=]*=[^<>]*)?\\s*/?>`, 'i');

/** A body as what it looks like. */
export function contentOf(body: string): { html: string } | { text: string } {
  return HTML.test(body) ? { html: body } : { text: body };
}
