/** The fields of payloads of built-in job types that name what a job is about: a recipient, a host, a phone or a channel. */
export const ABOUT_FIELDS = ['to', 'url', 'phone', 'channel'] as const;

/** The copies of an email. A job is not about them, but an erasure of such an address concerns it. */
export const COPY_FIELDS = ['cc', 'bcc'] as const;

/** The longest recipient or host, in characters. */
export const ABOUT_LENGTH = 320;

export type AboutField = (typeof ABOUT_FIELDS)[number] | (typeof COPY_FIELDS)[number];
