import type { ErrorDetail, JsonObject } from '@jobline/contracts';
import type { PublishedSchema } from '@jobline/engine';
import type { Logger } from '@jobline/runtime';
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import { schemaIssues } from './schema-issues.js';

/** All issues of a payload, or the first one of a large payload. */
export type CheckPayload = (payload: JsonObject) => ErrorDetail[];

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
