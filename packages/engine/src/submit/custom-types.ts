import type { ErrorDetail, Json, JsonObject } from '@jobline/contracts';
import { type Catalogue, pathText } from '@jobline/handlers';
import type { Logger } from '@jobline/runtime';
import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import type { PublishedSchema, PublishedTypes } from './routes.js';

/** The check of the payloads of custom types, whose handlers only the workers have. */
export interface CustomTypes {
  /** Whether a payload of the type may have issues. Most types need no check, and then no wait. */
  isChecked(type: string): boolean;
  /**
   * The issues of a payload according to the JSON Schemas that live workers have published. None if one of them accepts it.
   * Only an unknown type, and a payload with issues, may wait for a query. `since`: when the request came, by `performance.now()`. All of
   * its payloads share one query.
   */
  issues(type: string, payload: JsonObject, since: number): Promise<ErrorDetail[]>;
}

export function createCustomTypes(deps: {
  catalogue: Catalogue;
  published: PublishedTypes;
  compile: CompileSchema;
}): CustomTypes {
  const { catalogue, published, compile } = deps;

  function issuesNow(type: string, payload: JsonObject): ErrorDetail[] {
    let latest: ErrorDetail[] = [];
    for (const schema of published.schemasOf(type)) {
      const found = compile(schema)?.(payload) ?? [];
      if (found.length === 0) return [];
      if (latest.length === 0) latest = found;
    }
    return latest;
  }

  function hashesOf(type: string): string {
    return published
      .schemasOf(type)
      .map(({ hash }) => hash)
      .join();
  }

  return {
    isChecked: (type) => !catalogue.has(type) && (published.mayLearn(type) || published.schemasOf(type).length > 0),
    async issues(type, payload, since) {
      if (catalogue.has(type)) return [];
      await published.learn(type);
      const issues = issuesNow(type, payload);
      if (issues.length === 0) return [];
      // A worker with another schema may have started a moment ago.
      const before = hashesOf(type);
      await published.renew(since);
      return hashesOf(type) === before ? issues : issuesNow(type, payload);
    },
  };
}

/** All issues of a payload, or the first one of a large payload. */
type CheckPayload = (payload: JsonObject) => ErrorDetail[];

/** Compiles JSON Schemas, each once. Returns null for a schema that cannot be used: then every payload is accepted. */
export type CompileSchema = (published: PublishedSchema) => CheckPayload | null;

/** Maximum number of compiled schemas in memory. */
const MAX_COMPILED = 1_000;
/** Only the first issue of a larger payload is reported: a list of 1 MiB could have a million. */
const MAX_ALL_ISSUES_LENGTH = 64 * 1024;

export function createCompileSchema(log: Logger): CompileSchema {
  // It reads nothing from outside: a reference to another document makes a schema unusable.
  const options: Options = {
    strict: false,
    logger: false,
    // Only annotations in this version of JSON Schema.
    validateFormats: false,
    // Lengths as handlers count them, in UTF-16 code units.
    unicode: false,
    multipleOfPrecision: 6,
  };
  const firstIssue = new Ajv2020(options);
  const allIssues = new Ajv2020({ ...options, allErrors: true });
  const compiled = new Map<string, CheckPayload | null>();

  function compile({ hash, schema }: PublishedSchema): CheckPayload | null {
    try {
      const validate = compileWith(firstIssue, schema);
      let validateAll: ValidateFunction | undefined;
      return (payload) => {
        const first = issuesOf(validate, payload);
        if (first.length === 0 || JSON.stringify(payload).length > MAX_ALL_ISSUES_LENGTH) return first;
        validateAll ??= compileWith(allIssues, schema);
        return issuesOf(validateAll, payload);
      };
    } catch (error) {
      log.warn('a published JSON Schema cannot be used: submissions are not checked against it', { hash, error });
      return null;
    }
  }

  return (published) => {
    const known = compiled.get(published.hash);
    if (known !== undefined) return known;
    const check = compile(published);
    const [oldest] = compiled.keys();
    if (compiled.size >= MAX_COMPILED && oldest !== undefined) compiled.delete(oldest);
    compiled.set(published.hash, check);
    return check;
  };
}

function compileWith(ajv: Ajv2020, schema: string): ValidateFunction {
  const parsed: object = JSON.parse(schema);
  const validate = ajv.compile(parsed);
  ajv.removeSchema(parsed);
  if ('$async' in validate) throw new Error('it is asynchronous');
  return validate;
}

function issuesOf(validate: ValidateFunction, payload: JsonObject): ErrorDetail[] {
  const issues = validate(payload) ? [] : schemaIssues(validate.errors ?? [], payload);
  // The function stays in memory, and its errors refer to the payload.
  validate.errors = null;
  return issues;
}

/** Maximum number of issues of a payload. A list could have a hundred thousand. */
const MAX_ISSUES = 100;
const MAX_NAME_LENGTH = 128;
const MAX_VALUES_LENGTH = 200;
/** The errors of one of several alternatives: that none of them matches is an error of its own. */
const IN_ALTERNATIVE = /\/(?:anyOf|oneOf)\/\d+\//;

/** The errors of a payload as validation issues with paths under `payload`. */
function schemaIssues(errors: readonly ErrorObject[], payload: JsonObject): ErrorDetail[] {
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
