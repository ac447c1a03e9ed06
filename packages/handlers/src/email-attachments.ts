import { EMAIL_LIMITS } from '@jobline/contracts';
import Joi, { type ArraySchema } from 'joi';
import { listOf } from './bounded-schema.js';
import { CONTENT_TYPE_PATTERN, type RunContext } from './define-handler.js';
import { fileName } from './file-name.js';
import type { EmailAttachment } from './ports/index.js';
import { type NamedSource, type Source, sourceFields } from './source.js';

/** An attachment in a payload: where its bytes come from, and what replaces the name and the type that they have there. */
export type AttachmentRequest = Source & {
  filename?: string | undefined;
  content_type?: string | undefined;
  content_id?: string | undefined;
};

const CONTENT_ID_PATTERN = /^[A-Za-z0-9._-]{1,64}$/;

export const attachmentsField: ArraySchema<AttachmentRequest[]> = listOf(
  EMAIL_LIMITS.attachments,
  sourceFields({
    filename: fileName.description('Absent: the name that it has.'),
    content_type: Joi.string()
      .max(128)
      .pattern(CONTENT_TYPE_PATTERN)
      .messages({ 'string.pattern.base': '{{#label}} must be a content type, such as application/pdf' })
      .description('Absent: the type that it has.'),
    content_id: Joi.string()
      .pattern(CONTENT_ID_PATTERN)
      .messages({ 'string.pattern.base': '{{#label}} must be 1 to 64 letters, digits, dots, hyphens and underscores' })
      .description('The HTML shows it as `cid:` and this id.'),
  }),
)
  .unique('content_id', { ignoreUndefined: true })
  .messages({ 'array.unique': '{{#label}} has the `content_id` of another attachment' })
  .description('Files, or artifacts of other jobs, of at most 20 MiB together.');

/** The sources of attachments, and their paths in a payload. */
export function attachmentSources(attachments: readonly AttachmentRequest[] = []): NamedSource[] {
  return attachments.map((source, n) => ({ path: `payload.attachments[${n}]`, source }));
}

/** Reads attachments. Rejects with `invalid_payload` if one cannot be read, or if they are too large together. */
export async function readAttachments(
  attachments: readonly AttachmentRequest[] = [],
  read: RunContext['readSource'],
): Promise<EmailAttachment[]> {
  const all: EmailAttachment[] = [];
  let bytesLeft = EMAIL_LIMITS.attachmentBytes;
  for (const attachment of attachments) {
    const { name, contentType, bytes } = await read(attachment, bytesLeft);
    bytesLeft -= bytes.length;
    const { filename = name, content_type = contentType, content_id: contentId = null } = attachment;
    all.push({ filename, contentType: content_type, contentId, bytes });
  }
  return all;
}
