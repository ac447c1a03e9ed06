/**
 * The security headers of pages. A page may run our scripts, send requests to this host, and show the images and documents
 * that it got. Inline styles are allowed, because the dialogs' scroll lock uses them. Inline scripts, other hosts and frames
 * around the page are not.
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' blob: data:",
    "font-src 'self'",
    'frame-src blob:',
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "object-src 'none'",
    "form-action 'self'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};
