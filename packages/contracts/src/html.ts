/** A closing tag, a document type, or one of these elements. The group holds what follows the name of the element. */
const MARKUP =
  /<\/[a-z][a-z0-9]*\s*>|<!doctype\s+html|<(?:html|head|body|title|meta|style|div|p|span|a|b|i|u|em|strong|h[1-6]|ul|ol|li|table|tr|td|br|hr|img|blockquote|pre|center|font)((?:\s[^<>]*)?\/?)>/gi;

/** Whether the body of an email is HTML, and not plain text. A `<` or `>` alone does not make a text HTML. */
export function isHtml(body: string): boolean {
  for (const [, attributes = ''] of body.matchAll(MARKUP)) if (isTagRest(attributes)) return true;
  return false;
}

/** Whether this text can follow the name of an element: nothing, a slash, or an attribute with a value. */
function isTagRest(attributes: string): boolean {
  return attributes.includes('=') || ['', '/'].includes(attributes.trim());
}
