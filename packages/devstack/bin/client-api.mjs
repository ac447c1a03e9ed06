/** The parts of the API document from which the code of the client is generated. */

const CAPITALIZED = '#/components/schemas/CapitalizedSubmission';
const NOTE = '// Generated from the API document. Do not edit.\n';

/**
 * The document without what the client has no types for: errors, headers, examples, and the other spelling of submissions.
 * The schemas `Payloads` and `Results` are added: the payload and the result of each built-in job type.
 */
export function clientDocument(document) {
  const { schemas } = document.components;
  const { allOf = [], ...submission } = schemas.Submission;
  const { CapitalizedSubmission: _, ...kept } = schemas;
  const payloads = Object.fromEntries(
    allOf.map((known) => [known.if.properties.type.const, known.then.properties.payload]),
  );
  const results = mapValues(payloads, ({ $ref }) => ({ $ref: $ref.replace(/Payload$/, 'Result') }));
  const smaller = {
    ...document,
    paths: mapValues(document.paths, (operations) => mapValues(operations, clientOperation)),
    components: {
      schemas: {
        ...mapValues(kept, withAlternatives),
        Submission: submission,
        Payloads: { type: 'object', properties: payloads, required: Object.keys(payloads) },
        Results: { type: 'object', properties: results, required: Object.keys(results) },
      },
    },
  };
  return JSON.parse(JSON.stringify(smaller, withoutCapitalized));
}

/** TypeScript code with the method and the path of each operation, how it may be called, and the fields of payloads. */
export function operationsTable(document) {
  const rows = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const fields = [`method: '${method.toUpperCase()}'`, `path: '${path}'`];
      if (operation.parameters?.some(({ name }) => name === 'Idempotency-Key')) fields.push('takesKey: true');
      if (needsSession(operation)) fields.push('needsSession: true');
      return `  ${operation.operationId}: { ${fields.join(', ')} },`;
    }),
  );
  return `${NOTE}import type { operations } from './api.js';

export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** It takes an idempotency key. */
  takesKey?: true;
  /** It needs the token of a session: no API key may call it. */
  needsSession?: true;
}

export const OPERATIONS: Readonly<Record<keyof operations, Operation>> = {
${rows.join('\n')}
};

/** The fields of the payload of each built-in job type. Others are ignored. */
export const PAYLOAD_FIELDS: Readonly<Record<string, readonly string[]>> = {
${payloadFields(document).join('\n')}
};
`;
}

function payloadFields({ components: { schemas } }) {
  const isTyped = ({ if: known }) => known !== undefined;
  return (schemas.Submission.allOf ?? []).filter(isTyped).map((known) => {
    const { $ref } = known.then.properties.payload;
    const names = Object.keys(schemas[$ref.split('/').at(-1)].properties);
    return `  ${known.if.properties.type.const}: [${names.map((name) => `'${name}'`).join(', ')}],`;
  });
}

function clientOperation({ parameters, responses, requestBody, ...operation }) {
  const successful = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  return {
    ...operation,
    ...(parameters && { parameters: parameters.filter((parameter) => parameter.in !== 'header') }),
    ...(requestBody && {
      requestBody: { ...requestBody, content: mapValues(requestBody.content, ({ schema }) => ({ schema })) },
    }),
    responses: Object.fromEntries(successful.map(([status, { headers: _, ...response }]) => [status, response])),
  };
}

function needsSession({ security }) {
  return security.length > 0 && !security.some((scheme) => 'api_key' in scheme);
}

/**
 * An object that needs one of several groups of fields, as one schema for each group: the generator of the types ignores
 * alternatives that only name fields. A group may say of further fields that it has them, too, or that it does not.
 */
function withAlternatives({ oneOf, ...schema }) {
  if (!oneOf?.every(({ required, properties: _, ...others }) => required && Object.keys(others).length === 0))
    return oneOf ? { ...schema, oneOf } : schema;
  const { description, required = [], properties, ...rest } = schema;
  const grouped = oneOf.flatMap((group) => group.required);
  return {
    ...(description && { description }),
    oneOf: oneOf.map((group) => ({
      ...rest,
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => {
          const isKnown = group.required.includes(name) || group.properties?.[name] !== undefined;
          const isOther = group.properties?.[name] === false || (grouped.includes(name) && !isKnown);
          return [name, isOther ? false : property];
        }),
      ),
      required: [...required, ...group.required],
    })),
  };
}

function withoutCapitalized(_key, value) {
  return Array.isArray(value) ? value.filter((item) => item?.$ref !== CAPITALIZED) : value;
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}
