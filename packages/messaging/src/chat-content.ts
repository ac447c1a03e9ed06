import type { ChatContent } from '@jobline/handlers/ports';

/** The columns of a message that have the content of a chat message. */
interface Stored {
  subject: string | null;
  body: string | null;
}

/** What a template is used with. */
interface TemplateUse {
  language: string;
  parameters: readonly string[];
}

/**
 * A text is stored as the body. Of a template, the subject is the name, and the body is the rest as JSON: these columns
 * are redacted and deleted with the texts of messages, by the previous version too.
 */
export function storedChat({ message, template }: ChatContent): { subject: string | null; body: string } {
  if (!template) return { subject: null, body: message };
  const { name, language, parameters = [] } = template;
  return { subject: name, body: JSON.stringify({ language, parameters } satisfies TemplateUse) };
}

/** The content as it is shown: of a redacted or deleted template, language and parameters are null. */
export function readChat({ subject: template, body }: Stored) {
  if (template === null) return { message: body, template, language: null, parameters: null };
  const { language, parameters } = readUse(body);
  return { message: null, template, language, parameters };
}

function readUse(body: string | null): TemplateUse | { language: null; parameters: null } {
  // The cast: `storedChat` wrote it, unless it is redacted.
  if (body?.startsWith('{')) return JSON.parse(body) as TemplateUse;
  return { language: null, parameters: null };
}
