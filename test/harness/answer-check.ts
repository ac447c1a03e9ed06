import { endpoints } from '@jobline/api/endpoints';
import { createDocument, type OpenApiDocument } from '@jobline/api/openapi';
import { createCatalogue } from '@jobline/handlers';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** The part of a response that is checked; `text` is set only if the body must be JSON. */
export interface CheckedAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** Throws, with every violation, if a response differs from the API's own document. */
type CheckAnswer = (method: string, path: string, answer: CheckedAnswer) => void;

/** Headers of HTTP itself, which the document does not list. */
const HTTP_HEADERS = ['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'];
/** Headers that depend on how the service is reached. */
const PLACE_HEADERS = ['server', 'strict-transport-security', 'vary', 'via'];
/** The headers that control how browsers treat a response. Every response has them; docs/security.md lists them. */
export const SECURITY_HEADERS = [
  'cache-control',
  'content-security-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'x-content-type-options',
  'x-frame-options',
];
const JSON_TYPE = 'application/json';

/** Compares a response with the document of the API in this tree. */
export const checkAnswer: CheckAnswer = createAnswerCheck(
  createDocument(endpoints, { catalogue: createCatalogue(), publicUrl: 'http://localhost' }),
);

function createAnswerCheck(document: OpenApiDocument): CheckAnswer {
  const bodyViolations = createBodyCheck(document);
  // A fixed path comes before a path with a parameter in its place.
  const paths = Object.keys(document.paths).sort((a, b) => namesIn(a) - namesIn(b));
  const shapes = paths.map((path) => ({ path, shape: shapeOf(path) }));

  function violationsOf(method: string, path: string, answer: CheckedAnswer): string[] {
    const found = shapes.find(({ shape }) => shape.test(path.replace(/[?#].*$/, '')))?.path ?? '';
    const isHead = method === 'HEAD';
    const verb = isHead ? 'get' : method.toLowerCase();
    const operation = document.paths[found]?.[verb];
    if (!operation) return unknownPathViolations(found === '' ? 404 : 405, answer, isHead);

    const described = operation.responses[answer.status];
    if (!described) return ['the document does not list the status'];
    const place = described.$ref?.slice(1) ?? `/paths/${escaped(found)}/${verb}/responses/${answer.status}`;
    const response = described.$ref ? document.components.responses[described.$ref.replace(/^.*\//, '')] : described;
    const [mediaType, content] = Object.entries(response?.content ?? {})[0] ?? [];
    const violations = headerViolations(response?.headers ?? {}, answer.headers);
    violations.push(...typeViolations(mediaType, answer));
    if (mediaType === JSON_TYPE && !isHead) {
      violations.push(...bodyViolations(`${place}/content/${escaped(mediaType)}/schema`, answer.text));
      if (content?.examples) violations.push(...codeViolations(Object.keys(content.examples), answer.text));
    }
    return violations;
  }

  /** The response to an unknown path or method. */
  function unknownPathViolations(status: number, answer: CheckedAnswer, isHead: boolean): string[] {
    if (answer.status !== status)
      return [`there is no such ${status === 404 ? 'path' : 'method'}: the status must be ${status}`];
    const violations = [...securityViolations(answer.headers), ...typeViolations(JSON_TYPE, answer)];
    if (status === 405 && !answer.headers.has('allow')) violations.push('header allow is missing');
    return isHead ? violations : [...violations, ...bodyViolations('/components/schemas/Error', answer.text)];
  }

  return (method, path, answer) => {
    const violations = violationsOf(method, path, answer);
    if (violations.length === 0) return;
    const what = `${method} ${path} answered ${answer.status}, not as /openapi.json says`;
    throw new Error(`${what}:\n  ${violations.join('\n  ')}\n  ${answer.text.slice(0, 500)}`);
  };
}

/** Compares JSON with the schema at a location of the document. */
function createBodyCheck(document: OpenApiDocument): (place: string, text: string) => string[] {
  const ajv = new Ajv2020({ allErrors: true });
  addFormats.default(ajv);
  // Only then does ajv refuse every other unknown keyword.
  ajv.addVocabulary(Object.keys(document));
  ajv.addSchema(document, 'api');
  return (place, text) => {
    const validate = ajv.getSchema(`api#${place}`);
    if (!validate) return [`the document has no schema at ${place}`];
    if (validate(parsed(text))) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `body${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}

function headerViolations(described: Record<string, { required: boolean }>, headers: Headers): string[] {
  const names = new Set([
    ...HTTP_HEADERS,
    ...PLACE_HEADERS,
    ...SECURITY_HEADERS,
    ...Object.keys(described).map((name) => name.toLowerCase()),
  ]);
  const missing = Object.keys(described).filter((name) => described[name]?.required && !headers.has(name));
  const unknown = [...headers.keys()].filter((name) => !names.has(name) && !name.startsWith('access-control-'));
  return [
    ...securityViolations(headers),
    ...missing.map((name) => `header ${name} is missing`),
    ...unknown.map((name) => `the document does not list the header ${name}`),
  ];
}

function securityViolations(headers: Headers): string[] {
  return SECURITY_HEADERS.filter((name) => !headers.has(name)).map((name) => `header ${name} is missing`);
}

function typeViolations(described: string | undefined, { headers, text }: CheckedAnswer): string[] {
  const type = headers.get('content-type');
  if (described === undefined)
    return type === null && text === '' ? [] : [`there is a body (${type}), and the document lists none`];
  const due = described === JSON_TYPE ? `${JSON_TYPE}; charset=utf-8` : described;
  const isRight = described === '*/*' ? type !== null : type === due;
  return isRight ? [] : [`content-type is ${type} and not ${due}`];
}

/** The examples of an error response are named by its codes. */
function codeViolations(codes: readonly string[], text: string): string[] {
  return codes.some((code) => text.includes(`"code":"${code}"`)) ? [] : [`the code is not one of ${codes.join(', ')}`];
}

function shapeOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}

function namesIn(path: string): number {
  return path.split('{').length;
}

/** Encodes a part of a JSON pointer in a URL. */
function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON, which no schema allows
  }
}
