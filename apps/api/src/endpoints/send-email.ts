import { issuesOfSources } from '@jobline/engine';
import {
  type AttachmentRequest,
  attachmentSources,
  type EmailAttachment,
  emailBody,
  emailFields,
  emailRecipient,
  failureOf,
  readAttachments,
  sender,
  subjectLine,
  withTexts,
} from '@jobline/handlers';
import { MESSAGE_TYPES, type Principal, requireType } from '../auth/authorize.js';
import type { Deps } from '../deps.js';
import { defineEndpoint } from '../endpoint.js';
import { overloaded, rejectedMessage } from '../http/errors.js';
import { fieldsOf } from '../http/fields.js';
import { json } from '../http/response-specs.js';
import { direct, directErrors, messageOf, sentAnswer, sentEmailView, toSentEmailView } from './messages.js';

/** Sends an email without the queue. The response has the result of the provider. */
export const sendEmail = defineEndpoint({
  ...direct,
  needs: ['db', 'compose', 'directSends', 'startSourceReads'],
  // Each recipient counts.
  limits: { ...direct.limits, cost: ({ cc = [], bcc = [] }) => 1 + cc.length + bcc.length },
  path: '/email/send',
  summary: 'Send an email now',
  body: fieldsOf(
    { to: emailRecipient(), subject: subjectLine() },
    {
      body: emailBody(),
      from: sender().description('An address of a domain that the organization has verified.'),
      ...emailFields,
    },
  ).meta(withTexts()),
  responses: { 200: json('The provider has accepted the email.', sentEmailView, ['Idempotent-Replayed?']) },
  errors: ['sender_domain_not_verified', ...directErrors],
  async handle({ deps, principal, body, idempotencyKey }) {
    requireType(principal, MESSAGE_TYPES.email);
    const { orgId } = principal;
    const message = messageOf(await deps.compose().email(orgId, body));
    const { to, cc, bcc, headers } = body;
    return withAttachments(deps, principal, body.attachments, async (attachments) =>
      sentAnswer(
        await deps.directSends.email(orgId, { ...message, to, cc, bcc, headers, attachments }, idempotencyKey),
        toSentEmailView,
      ),
    );
  },
});

const READ_WITHIN_MS = 20_000;

/** Reads the attachments, and frees their memory when they have been used. */
async function withAttachments<T>(
  deps: Deps<'db' | 'startSourceReads'>,
  { orgId, types }: Principal,
  requested: readonly AttachmentRequest[] | undefined,
  use: (attachments: EmailAttachment[]) => Promise<T>,
): Promise<T> {
  const named = attachmentSources(requested);
  if (named.length === 0) return use([]);
  const details = await issuesOfSources(deps.db, orgId, named, types);
  if (details.length > 0) throw rejectedMessage({ code: 'validation_failed', details });
  const limit = AbortSignal.timeout(READ_WITHIN_MS);
  const reads = deps.startSourceReads({ claim: { orgId }, stop: { signal: () => limit } }, () => named);
  try {
    const attachments = await readAttachments(requested, reads.read).catch((error: unknown) => {
      if (limit.aborted) throw overloaded('The attachments cannot be read now; try again later.');
      // One was deleted a moment ago, or they are too large together.
      if (!(error instanceof Error) || failureOf(error).code !== 'invalid_payload') throw error;
      const { path = 'payload.attachments' } = named.find((one) => error.message.startsWith(`${one.path} `)) ?? {};
      throw rejectedMessage({ code: 'validation_failed', details: [{ path, message: error.message }] });
    });
    return await use(attachments);
  } finally {
    reads.release();
  }
}
