/** A closing tag, a document type, or one of these elements. The group holds what follows the name of the element. */
const MARKUP =
  /<\/[a-z][a-z0-9]*\s*>|<!doctype\s+html|<(?:html|head|body|title|meta|style|div|p|span|a|b|i|u|em|strong|h[1-6]|ul|ol|li|table|tr|td|br|hr|img|blockquote|pre|center|font)((?:\s[^<>]*)?\/?)>/gi;

/** Detects whether a body is HTML or plain text, unless it is always plain text. A `<` or `>` alone does not make a text HTML. */
export function contentOf(body: string, isPlainText = false): { html: string } | { text: string } {
  if (isPlainText) return { text: body };
  for (const [, attributes = ''] of body.matchAll(MARKUP)) if (isTagRest(attributes)) return { html: body };
  return { text: body };
}

/** Whether this text can follow the name of an element: nothing, a slash, or an attribute with a value. */
function isTagRest(attributes: string): boolean {
  return attributes.includes('=') || ['', '/'].includes(attributes.trim());
}
