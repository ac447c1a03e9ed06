/** What a template renders. Names are unique per kind. */
export const TEMPLATE_KINDS = ['email', 'sms', 'pdf'] as const;
export type TemplateKind = (typeof TEMPLATE_KINDS)[number];

/** A stored template, as lists show it. */
export interface TemplateSummaryView {
  id: string;
  name: string;
  kind: TemplateKind;
  /** Null except for an email. */
  subject: string | null;
  /** The variables that it uses, in the order of first use. */
  variables: string[];
  created_at: string;
  updated_at: string;
}

export interface TemplateView extends TemplateSummaryView {
  /** The source, in Liquid. */
  body: string;
}

/** A template filled with data, as it would be sent or printed. */
export interface PreviewView {
  /** Only for an email. */
  subject?: string;
  body: string;
  /** The variables that the data does not have; each of them is rendered as empty text. */
  missing: string[];
}
