/** A `url(` and all up to the bracket that closes it; one that is never closed reaches to the end, as browsers read it. */
const CSS_URL = /url\(([^)]*)\)?/gi;
const CSS_IMPORT = /@import[^;]*;?/gi;
const INLINE = /^\s*["']?data:/i;

/**
 * A style without what would be loaded from elsewhere. Each pattern takes what it has looked at, so the time that it needs
 * grows with the length of the text, whatever the text is.
 */
export function withoutUrls(css: string): string {
  return css
    .replace(CSS_IMPORT, '')
    .replace(CSS_URL, (url, address: string) => (INLINE.test(address.slice(0, MAX_PREFIX_CHARS)) ? url : 'none'));
}

/** So much of an address is looked at for what it begins with. */
const MAX_PREFIX_CHARS = 100;
