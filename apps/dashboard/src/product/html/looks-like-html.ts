/** A closing tag, a document type, or one of the elements: the group is what stands behind its name. */
const MARKUP =
  /<\/[a-z][a-z0-9]*\s*>|<!doctype\s+html|<(?:html|head|body|title|meta|style|div|p|span|a|b|i|u|em|strong|h[1-6]|ul|ol|li|table|tr|td|br|hr|img|blockquote|pre|center|font)((?:\s[^<>]*)?\/?)>/gi;

/** Whether a body goes out as HTML: the rule of the API's own adapters (`packages/providers/src/email/content.ts`). */
export function looksLikeHtml(body: string): boolean {
  for (const [, attributes = ''] of body.matchAll(MARKUP)) if (isWritten(attributes)) return true;
  return false;
}

/** Whether this is what an element may have behind its name: nothing but perhaps a slash, or an attribute with a value. */
function isWritten(attributes: string): boolean {
  return attributes.includes('=') || ['', '/'].includes(attributes.trim());
}
