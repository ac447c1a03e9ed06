import type { ErrorDetail } from '@jobline/contracts';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { ApiError } from './api-error.js';

/**
 * Puts the API's words at the fields that they are about, and the focus into the first of them. Gives the sentence that
 * belongs above the form: what is wrong with no field in particular; null where the fields say it all.
 */
export function showErrors<T extends FieldValues>(
  form: UseFormReturn<T>,
  error: unknown,
  fieldOf: (detail: ErrorDetail) => string = ({ path }) => path,
): string | null {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  const names = Object.keys(form.getValues());
  const atFields = error.details.filter((detail) => names.includes(fieldOf(detail)));
  [...new Set(atFields.map(fieldOf))].forEach((name, i) => {
    const message = atFields.filter((detail) => fieldOf(detail) === name).map((detail) => wordsAt(name, detail));
    // The cast: one of the form's own names.
    form.setError(name as FieldPath<T>, { message: message.join(' ') }, { shouldFocus: i === 0 });
  });
  if (atFields.length > 0 && atFields.length === error.details.length) return null;
  return error.message;
}

/** What lies deeper than the field says where: `payload.to: Is required.` */
function wordsAt(field: string, detail: ErrorDetail): string {
  return detail.path.startsWith(`${field}.`) ? `${detail.path}: ${sentence(detail)}` : sentence(detail);
}

/** `"email" must be a valid email` → `Must be a valid email`: the field stands beside it. */
function sentence({ message }: ErrorDetail): string {
  const rest = message.replace(/^"[^"]*" /, '');
  return `${rest.charAt(0).toUpperCase()}${rest.slice(1)}.`.replace(/\.\.$/, '.');
}
