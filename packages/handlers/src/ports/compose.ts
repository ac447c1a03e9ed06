import type { ErrorCode, ErrorDetail, JsonObject, OrgId } from '@jobline/contracts';

/** An email as its sender asks for it: written out, or a template and its data. */
export interface EmailDraft {
  from?: string | undefined;
  subject?: string | undefined;
  body?: string | undefined;
  /** The name of a stored template, in place of subject and body. */
  template?: string | undefined;
  data?: JsonObject | undefined;
}

/** The same of an SMS. */
export interface SmsDraft {
  from?: string | undefined;
  message?: string | undefined;
  template?: string | undefined;
  data?: JsonObject | undefined;
}

/** Ready to be sent. */
export interface ComposedEmail {
  /** Written anew from its parts, its domain verified; null: the default sender. */
  from: string | null;
  subject: string;
  body: string;
}

export interface ComposedSms {
  /** A registered sender id; null: the provider's default. */
  from: string | null;
  message: string;
}

/** Why something may not be carried out, although it keeps its schema. `details` have their paths under `payload`. */
export interface ValidationFailure {
  code: Extract<ErrorCode, 'validation_failed' | 'sender_domain_not_verified' | 'sender_not_registered'>;
  details: readonly ErrorDetail[];
}

export type Composed<T> = { message: T; failure?: never } | { failure: ValidationFailure; message?: never };

/**
 * Makes messages of drafts: fills templates and holds the rule of who may send as whom. Sends nothing. Throws RetryLater
 * when too many texts wait to be filled, and the signal's reason when that fired.
 */
export interface Compose {
  email(orgId: OrgId, draft: EmailDraft, signal?: AbortSignal): Promise<Composed<ComposedEmail>>;
  sms(orgId: OrgId, draft: SmsDraft, signal?: AbortSignal): Promise<Composed<ComposedSms>>;
}
