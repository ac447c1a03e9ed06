import { JoblineError } from '@jobline/client';
import type { ErrorDetail } from '@jobline/contracts';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';

/**
 * Shows the API's validation messages at their fields and focuses the first of these fields. Returns the message for
 * the top of the form; null if the fields show everything.
 */
export function showErrors<T extends FieldValues>(
  form: UseFormReturn<T>,
  error: unknown,
  fieldOf: (detail: ErrorDetail) => string = fieldOfPath,
): string | null {
  if (!(error instanceof JoblineError)) return error instanceof Error ? error.message : String(error);
  const names = Object.keys(form.getValues());
  const atFields = error.details.filter((detail) => names.includes(fieldOf(detail)));
  [...new Set(atFields.map(fieldOf))].forEach((name, i) => {
    const message = atFields.filter((detail) => fieldOf(detail) === name).map((detail) => messageAt(name, detail));
    // The cast: `atFields` contains only names of this form.
    form.setError(name as FieldPath<T>, { message: message.join(' ') }, { shouldFocus: i === 0 });
  });
  if (atFields.length > 0 && atFields.length === error.details.length) return null;
  return atFields.length > 0 ? error.summary : error.message;
}

/** `events[0]` → `events`, `payload.to` → `payload`. */
function fieldOfPath({ path }: ErrorDetail): string {
  return path.replace(/[.[].*/, '');
}

/** A message about a nested value starts with its path: `payload.to: Is required.` */
function messageAt(field: string, detail: ErrorDetail): string {
  return detail.path.startsWith(`${field}.`) ? `${detail.path}: ${sentence(detail)}` : sentence(detail);
}

/** `"email" must be a valid email` → `Must be a valid email.` The field's label replaces the name. */
function sentence({ message }: ErrorDetail): string {
  const rest = message.replace(/^"[^"]*" /, '');
  return `${rest.charAt(0).toUpperCase()}${rest.slice(1)}.`.replace(/\.\.$/, '.');
}
