import type { ErrorDetail, JsonObject } from '@jobline/contracts';
import type { Catalogue } from './catalogue.js';
import type { Handler } from './define-handler.js';

/** All issues of a payload, with paths under `payload`. None if the type is not known here. */
export function payloadIssues(catalogue: Catalogue, type: string, payload: JsonObject): ErrorDetail[] {
  const handler = catalogue.get(type);
  return handler ? issuesOf(handler, payload) : [];
}

/** Validates a payload against the Joi schema. It is not converted, completed or stripped. */
export function issuesOf(handler: Pick<Handler, 'payload'>, payload: object): ErrorDetail[] {
  const options = { abortEarly: false, convert: false, allowUnknown: true };
  const issues = handler.payload?.validate(payload, options).error?.details ?? [];
  return issues.map(({ path, message }) => ({ path: pathText(['payload', ...path]), message }));
}

/** Validates a payload against the schema of any library. */
export async function checkPayload(
  handler: Pick<Handler, 'payload' | 'schema'>,
  payload: object,
): Promise<ErrorDetail[]> {
  const own = issuesOf(handler, payload);
  if (!handler.schema) return own;
  const { issues = [] } = await handler.schema['~standard'].validate(payload);
  return [
    ...own,
    ...issues.map(({ path = [], message }) => ({ path: pathText(['payload', ...path.map(stepOf)]), message })),
  ];
}

function stepOf(step: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof step === 'object' ? step.key : step;
  return typeof key === 'number' ? key : String(key);
}

/** `['jobs', 3, 'payload', 'to']` → `jobs[3].payload.to`. */
export function pathText(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${part}` : part),
    '',
  );
}
