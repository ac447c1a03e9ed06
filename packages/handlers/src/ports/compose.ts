import type { ErrorCode, ErrorDetail, JsonObject, OrgId } from '@jobline/contracts';

/** A message as requested: with its texts, or with a template and its data. */
interface Draft {
  from?: string | undefined;
  /** The name of a stored template, instead of the texts. */
  template?: string | undefined;
  data?: JsonObject | undefined;
}

export interface EmailDraft extends Draft {
  subject?: string | undefined;
  body?: string | undefined;
}

export interface SmsDraft extends Draft {
  message?: string | undefined;
}

/** An email that is ready to be sent. */
export interface ComposedEmail {
  /** Rebuilt from its parts, with a verified domain. Null: the default sender. */
  from: string | null;
  subject: string;
  body: string;
}

export interface ComposedSms {
  /** A registered sender id. Null: the default of the provider. */
  from: string | null;
  message: string;
}

/** Why a request is rejected although it matches its schema. The paths in `details` are under `payload`. */
export interface ValidationFailure {
  code: Extract<ErrorCode, 'validation_failed' | 'sender_domain_not_verified' | 'sender_not_registered'>;
  details: readonly ErrorDetail[];
}

export type Composed<T> = { message: T; failure?: never } | { failure: ValidationFailure; message?: never };

/**
 * Turns drafts into messages: fills templates and checks who may send as whom. Sends nothing. Throws RetryLater if too
 * many texts wait to be filled, or the reason of the signal if the signal is aborted.
 */
export interface Compose {
  email(orgId: OrgId, draft: EmailDraft, signal?: AbortSignal): Promise<Composed<ComposedEmail>>;
  sms(orgId: OrgId, draft: SmsDraft, signal?: AbortSignal): Promise<Composed<ComposedSms>>;
}
