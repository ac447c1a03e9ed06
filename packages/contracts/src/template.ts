/** What a template renders. Names are unique per kind. */
export const TEMPLATE_KINDS = ['email', 'sms', 'pdf'] as const;
export type TemplateKind = (typeof TEMPLATE_KINDS)[number];
