/** The kinds of things that a search finds. */
export const FOUND_KINDS = [
  'job',
  'message',
  'template',
  'schedule',
  'webhook',
  'limit',
  'domain',
  'member',
  'key',
] as const;
export type FoundKind = (typeof FOUND_KINDS)[number];
