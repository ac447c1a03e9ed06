import type { ErrorDetail, JsonObject } from '@jobline/contracts';
import type { Handler } from './define-handler.js';
import type { Catalogue } from './jobs/index.js';

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

const MAX_NAME_LENGTH = 128;
/** Maximum length of the first parts of a long path, and of its last parts, unless it is one part. */
const MAX_HALF_LENGTH = 128;

/**
 * `['jobs', 3, 'payload', 'to']` → `jobs[3].payload.to`. Names are cut, and the middle of a long path is left out: the caller
 * chooses the names and the depth.
 */
export function pathText(path: readonly (string | number)[]): string {
  const parts = path.map((part, n) =>
    typeof part === 'number' ? `[${part}]` : `${n > 0 ? '.' : ''}${part.slice(0, MAX_NAME_LENGTH)}`,
  );
  const first = fitting(parts);
  const last = fitting(parts.slice(first).reverse());
  const isWhole = first + last >= parts.length;
  return parts.slice(0, first).join('') + (isWhole ? '' : '…') + parts.slice(parts.length - last).join('');
}

/** How many parts from the beginning fit into half of a path: one or more, if there are any. */
function fitting(parts: readonly string[]): number {
  let length = 0;
  const end = parts.findIndex((part, n) => {
    length += part.length;
    return n > 0 && length > MAX_HALF_LENGTH;
  });
  return end < 0 ? parts.length : end;
}
