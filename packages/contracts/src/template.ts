/** What a template makes. Names are unique among those of a kind. */
export const TEMPLATE_KINDS = ['email', 'sms', 'pdf'] as const;
export type TemplateKind = (typeof TEMPLATE_KINDS)[number];

/** A stored template, as lists show it. */
export interface TemplateSummaryView {
  id: string;
  name: string;
  kind: TemplateKind;
  /** Null but for an email. */
  subject: string | null;
  /** What it takes from its data, in the order of first use. */
  variables: string[];
  created_at: string;
  updated_at: string;
}

export interface TemplateView extends TemplateSummaryView {
  /** The source, in Liquid. */
  body: string;
}

/** A template filled, as it would be sent or printed. */
export interface PreviewView {
  /** Of an email only. */
  subject?: string;
  body: string;
  /** The variables that the data does not have; each is left empty. */
  missing: string[];
}
