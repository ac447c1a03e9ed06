/** Elements that an email may begin or consist of without a closing tag. */
const ELEMENTS =
  'html|head|body|title|meta|style|div|p|span|a|b|i|u|em|strong|h[1-6]|ul|ol|li|table|tr|td|br|hr|img|blockquote|pre|center|font';

const HTML = new RegExp(`</[a-z][a-z0-9]*\\s*>|<!doctype\\s+html|<(?:${ELEMENTS})(?:\\s[^<>=]*=[^<>]*)?\\s*/?>`, 'i');

/** Whether a body goes out as HTML: the rule of the API's own adapters (`packages/providers/src/email/content.ts`). */
export function looksLikeHtml(body: string): boolean {
  return HTML.test(body);
}
