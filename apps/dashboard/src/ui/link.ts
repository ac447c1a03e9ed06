import { cx } from './cx.js';

/** The looks of a link in running text, for the router's Link and `<a>` alike. */
export const linkClasses = 'rounded-control text-accent underline-offset-4 hover:underline';

/** The looks of the one link of a row: quiet, and the whole row follows it. */
export const rowLinkClasses = cx(
  'block truncate rounded-control font-medium text-text underline-offset-4 hover:underline',
  'outline-offset-4',
);
