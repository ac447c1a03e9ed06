/** A closing tag, a document type, or one of these elements. The group captures the text after the element's name. */
const MARKUP =
  /<\/[a-z][a-z0-9]*\s*>|<!doctype\s+html|<(?:html|head|body|title|meta|style|div|p|span|a|b|i|u|em|strong|h[1-6]|ul|ol|li|table|tr|td|br|hr|img|blockquote|pre|center|font)((?:\s[^<>]*)?\/?)>/gi;

/**
 * Whether a body is sent as HTML. The same rule as in the email providers (`packages/providers/src/email/content.ts`).
 */
export function looksLikeHtml(body: string): boolean {
  for (const [, attributes = ''] of body.matchAll(MARKUP)) if (isTagContent(attributes)) return true;
  return false;
}

/** Whether the text after an element's name is valid in a tag: empty, a slash, or an attribute with a value. */
function isTagContent(attributes: string): boolean {
  return attributes.includes('=') || ['', '/'].includes(attributes.trim());
}
