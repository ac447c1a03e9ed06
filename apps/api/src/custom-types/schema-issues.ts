import type { ErrorDetail, Json, JsonObject } from '@jobline/contracts';
import { pathText } from '@jobline/handlers';
import type { ErrorObject } from 'ajv/dist/2020.js';

/** Maximum number of issues of a payload. A list could have a hundred thousand. */
const MAX_ISSUES = 100;
const MAX_NAME_LENGTH = 128;
const MAX_VALUES_LENGTH = 200;
/** The errors of one of several alternatives: that none of them matches is an error of its own. */
const IN_ALTERNATIVE = /\/(?:anyOf|oneOf)\/\d+\//;

/** The errors of a payload as validation issues with paths under `payload`. */
export function schemaIssues(errors: readonly ErrorObject[], payload: JsonObject): ErrorDetail[] {
  const own = errors.filter(({ schemaPath, keyword }) => keyword !== 'if' && !IN_ALTERNATIVE.test(schemaPath));
  return (own.length > 0 ? own : errors).slice(0, MAX_ISSUES).map((error) => toIssue(error, payload));
}

function toIssue(
  { instancePath, keyword, params, message = 'is invalid' }: ErrorObject,
  payload: JsonObject,
): ErrorDetail {
  const named = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  const names = instancePath.split('/').slice(1).map(unescaped);
  const path = pathText([
    'payload',
    ...stepsOf(names, payload),
    ...(named === undefined ? [] : [short(String(named))]),
  ]);
  return { path, message: `"${path}" ${wording(keyword, params, named !== undefined) ?? message}` };
}

function wording(keyword: string, params: ErrorObject['params'], isNamed: boolean): string | undefined {
  if (keyword === 'required') return 'is required';
  if (isNamed) return keyword === 'dependentRequired' ? 'is required with another field' : 'is not allowed';
  if (keyword === 'enum') return `must be one of ${JSON.stringify(params.allowedValues).slice(0, MAX_VALUES_LENGTH)}`;
  return undefined;
}

/** The steps of a path: those into lists are numbers. */
function stepsOf(names: readonly string[], payload: JsonObject): (string | number)[] {
  let at: Json | undefined = payload;
  return names.map((name) => {
    if (Array.isArray(at)) {
      at = at[Number(name)];
      return Number(name);
    }
    at = typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? at[name] : undefined;
    return short(name);
  });
}

function short(name: string): string {
  return name.slice(0, MAX_NAME_LENGTH);
}

/** Decodes a part of a JSON pointer. */
function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
