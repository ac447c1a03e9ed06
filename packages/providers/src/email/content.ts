/** A closing tag, a document type, or one of the elements that stand alone. Mere `<` and `>` do not make a text HTML. */
const HTML = /<\/[a-z][a-z0-9]*\s*>|<!doctype\s+html|<(?:br|hr|img)(?:\s[^<>]*)?\/?>/i;

/** A body as what it looks like. */
export function contentOf(body: string): { html: string } | { text: string } {
  return HTML.test(body) ? { html: body } : { text: body };
}
