/** The parts of the API document from which the code of the client is generated. */

const CAPITALIZED = '#/components/schemas/CapitalizedSubmission';
const NOTE = '// Generated from the API document. Do not edit.\n';

/**
 * The document without what the client has no types for: errors, headers, examples, and the other spelling of submissions.
 * The schema `Payloads` is added: the payload of each built-in job type.
 */
export function clientDocument(document) {
  const { schemas } = document.components;
  const { allOf = [], ...submission } = schemas.Submission;
  const { CapitalizedSubmission: _, ...kept } = schemas;
  const payloads = Object.fromEntries(
    allOf.map((known) => [known.if.properties.type.const, known.then.properties.payload]),
  );
  const smaller = {
    ...document,
    paths: mapValues(document.paths, (operations) => mapValues(operations, clientOperation)),
    components: {
      schemas: {
        ...kept,
        Submission: submission,
        Payloads: { type: 'object', properties: payloads, required: Object.keys(payloads) },
      },
    },
  };
  return JSON.parse(JSON.stringify(smaller, withoutCapitalized));
}

/** TypeScript code with the method and the path of each operation, and how it may be called. */
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
`;
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

function withoutCapitalized(_key, value) {
  return Array.isArray(value) ? value.filter((item) => item?.$ref !== CAPITALIZED) : value;
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}
