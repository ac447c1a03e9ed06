import type { ErrorDetail, OrgId, TemplateKind } from '@jobline/contracts';
import type { Compose, Composed, EmailDraft, Liquid, SmsDraft } from '@jobline/handlers/ports';
import { type FilledTemplate, fillTemplate, TemplateError } from './fill-template.js';
import type { Lookups } from './lookups.js';
import { readMailAddress } from './mail-address.js';
import { emailSender, isStorable, ONE_ADDRESS, smsSender } from './sender-rule.js';

/** The only way from a draft to a message: at submission, in the worker and in direct sends. */
export function createCompose({ lookups, liquid }: { lookups: Lookups; liquid: Liquid }): Compose {
  return {
    async email(orgId, draft, signal) {
      const filled = await fill(orgId, 'email', draft, signal);
      const subject = draft.subject ?? filled?.subject ?? '';
      const { body, html, text } = draft;
      const texts = filled ? { body: asHtml(filled.body) } : { body, html, text };
      const replyTo = draft.reply_to === undefined ? null : readMailAddress(draft.reply_to);
      const sender = await emailSender(lookups, orgId, draft.from);
      const issues = [...issuesOf(filled), ...emptyTexts({ subject, body: texts.body ?? '' }, filled)];
      if (draft.reply_to !== undefined && !replyTo) issues.push(issue('reply_to', ONE_ADDRESS));
      if (draft.subject !== undefined && /[\p{Cc}\u2028\u2029]/u.test(draft.subject)) {
        issues.push(issue('subject', 'must be one line without control characters'));
      }
      return composed(issues, sender, { replyTo: replyTo?.text ?? null, subject, texts, template: draft.template });
    },
    async sms(orgId, draft, signal) {
      const filled = await fill(orgId, 'sms', draft, signal);
      const message = filled?.body ?? draft.message ?? '';
      const sender = await smsSender(lookups, orgId, draft.from);
      return composed([...issuesOf(filled), ...emptyTexts({ message }, filled)], sender, {
        message,
        template: draft.template,
      });
    },
    async unknownSecrets(orgId, names) {
      const known = await lookups.secretNames(orgId);
      return names.filter((name) => !known.has(name));
    },
  };

  /** Null for a draft without a template. */
  async function fill(
    orgId: OrgId,
    kind: TemplateKind,
    draft: EmailDraft | SmsDraft,
    signal: AbortSignal | undefined,
  ): Promise<Filled | null> {
    const { template: name, data = {} } = draft;
    if (name === undefined) return null;
    const template = isStorable(name) ? await lookups.findTemplate(orgId, kind, name) : null;
    if (!template) return failed(`does not name a stored ${kind} template`);
    try {
      return { ...(await fillTemplate(liquid, orgId, template, data, signal)), issues: [] };
    } catch (error) {
      if (error instanceof TemplateError) return failed(`cannot be used: ${error.message}`);
      throw error;
    }
  }
}

type Filled = FilledTemplate & { issues: ErrorDetail[] };

function failed(message: string): Filled {
  return { subject: null, body: '', missing: [], issues: [issue('template', message)] };
}

function issuesOf(filled: Filled | null): ErrorDetail[] {
  if (!filled) return [];
  return [
    ...filled.issues,
    ...filled.missing.map((name) => issue(`data.${name}`, 'is missing: the template needs it')),
  ];
}

/** Reports a text that is empty after filling its template, unless another issue explains it. */
function emptyTexts(texts: Record<string, string>, filled: Filled | null): ErrorDetail[] {
  if (!filled || issuesOf(filled).length > 0) return [];
  const empty = Object.keys(texts).filter((name) => texts[name]?.trim() === '');
  return empty.map((name) => issue(name, 'is empty after filling the template'));
}

/**
 * Wraps a template without markup in an element that keeps its line breaks. Data cannot add markup to such a template,
 * and escaped characters in it are displayed correctly.
 */
function asHtml(body: string): string {
  return /<[a-z!/]/i.test(body) || body.trim() === '' ? body : `<div style="white-space: pre-wrap">${body}</div>`;
}

function issue(name: string, message: string): ErrorDetail {
  return { path: `payload.${name}`, message: `"payload.${name}" ${message}` };
}

/** Validation issues are reported before a forbidden sender. */
function composed<T>(
  issues: readonly ErrorDetail[],
  sender: Awaited<ReturnType<typeof emailSender>>,
  texts: T,
): Composed<T & { from: string | null }> {
  const { failure } = sender;
  const details = failure?.code === 'validation_failed' ? [...issues, ...failure.details] : issues;
  if (details.length > 0) return { failure: { code: 'validation_failed', details } };
  return failure ? { failure } : { message: { ...texts, from: sender.from } };
}
