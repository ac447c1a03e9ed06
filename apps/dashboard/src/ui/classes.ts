/** Joins class names and skips empty values. */
export function cx(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}

/** The CSS classes of a text link, for the router's Link and for `<a>`. */
export const linkClasses = 'rounded-control text-accent underline-offset-4 hover:underline';

/** The CSS classes of a link inside a text. It is underlined, so that it does not depend on color alone. */
export const inTextClasses = cx(linkClasses, 'underline');

/** The CSS classes of the only link of a row. A click anywhere in the row follows this link. */
export const rowLinkClasses = cx(
  'block truncate rounded-control font-medium text-text underline-offset-4 hover:underline',
  'outline-offset-4',
);
