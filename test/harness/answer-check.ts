import { endpoints } from '@jobline/api/endpoints';
import { createDocument, type OpenApiDocument } from '@jobline/api/openapi';
import { createCatalogue } from '@jobline/handlers';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** What is looked at of an answer; `text` only where its body is to be JSON. */
export interface CheckedAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** Throws, with every fault, when an answer is not as the API's own document says. */
type CheckAnswer = (method: string, path: string, answer: CheckedAnswer) => void;

/** Those of HTTP itself, which no document tells of. */
const HTTP_HEADERS = ['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'];
/** Those that depend on how the service is reached. */
const PLACE_HEADERS = ['strict-transport-security', 'vary'];
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

/** Holds an answer against the document of the API as it is in this tree. */
export const checkAnswer: CheckAnswer = createAnswerCheck(
  createDocument(endpoints, { catalogue: createCatalogue(), publicUrl: 'http://localhost' }),
);

function createAnswerCheck(document: OpenApiDocument): CheckAnswer {
  const bodyFaults = createBodyCheck(document);
  // A fixed path before one with a name in its place.
  const paths = Object.keys(document.paths).sort((a, b) => namesIn(a) - namesIn(b));
  const shapes = paths.map((path) => ({ path, shape: shapeOf(path) }));

  function faultsOf(method: string, path: string, answer: CheckedAnswer): string[] {
    const found = shapes.find(({ shape }) => shape.test(path.replace(/[?#].*$/, '')))?.path ?? '';
    const isHead = method === 'HEAD';
    const verb = isHead ? 'get' : method.toLowerCase();
    const operation = document.paths[found]?.[verb];
    if (!operation) return refusalFaults(found === '' ? 404 : 405, answer, isHead);

    const told = operation.responses[answer.status];
    if (!told) return ['the status is not told of'];
    const place = told.$ref?.slice(1) ?? `/paths/${escaped(found)}/${verb}/responses/${answer.status}`;
    const response = told.$ref ? document.components.responses[told.$ref.replace(/^.*\//, '')] : told;
    const [mediaType, content] = Object.entries(response?.content ?? {})[0] ?? [];
    const faults = headerFaults(response?.headers ?? {}, answer.headers);
    faults.push(...typeFaults(mediaType, answer));
    if (mediaType === JSON_TYPE && !isHead) {
      faults.push(...bodyFaults(`${place}/content/${escaped(mediaType)}/schema`, answer.text));
      if (content?.examples) faults.push(...codeFaults(Object.keys(content.examples), answer.text));
    }
    return faults;
  }

  /** Of a path or a method that there is not. */
  function refusalFaults(status: number, answer: CheckedAnswer, isHead: boolean): string[] {
    if (answer.status !== status) return [`there is no such ${status === 404 ? 'path' : 'method'}: ${status} is due`];
    const faults = [...securityFaults(answer.headers), ...typeFaults(JSON_TYPE, answer)];
    if (status === 405 && !answer.headers.has('allow')) faults.push('header allow is missing');
    return isHead ? faults : [...faults, ...bodyFaults('/components/schemas/Error', answer.text)];
  }

  return (method, path, answer) => {
    const faults = faultsOf(method, path, answer);
    if (faults.length === 0) return;
    const what = `${method} ${path} answered ${answer.status}, not as /openapi.json says`;
    throw new Error(`${what}:\n  ${faults.join('\n  ')}\n  ${answer.text.slice(0, 500)}`);
  };
}

/** Compares JSON with the schema at a place of the document. */
function createBodyCheck(document: OpenApiDocument): (place: string, text: string) => string[] {
  const ajv = new Ajv2020({ allErrors: true });
  addFormats.default(ajv);
  // Only so is every other unknown keyword refused.
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

function headerFaults(told: Record<string, { required: boolean }>, headers: Headers): string[] {
  const names = new Set([
    ...HTTP_HEADERS,
    ...PLACE_HEADERS,
    ...SECURITY_HEADERS,
    ...Object.keys(told).map((name) => name.toLowerCase()),
  ]);
  const missing = Object.keys(told).filter((name) => told[name]?.required && !headers.has(name));
  const unknown = [...headers.keys()].filter((name) => !names.has(name) && !name.startsWith('access-control-'));
  return [
    ...securityFaults(headers),
    ...missing.map((name) => `header ${name} is missing`),
    ...unknown.map((name) => `header ${name} is not told of`),
  ];
}

function securityFaults(headers: Headers): string[] {
  return SECURITY_HEADERS.filter((name) => !headers.has(name)).map((name) => `header ${name} is missing`);
}

function typeFaults(told: string | undefined, { headers, text }: CheckedAnswer): string[] {
  const type = headers.get('content-type');
  if (told === undefined) return type === null && text === '' ? [] : [`there is a body (${type}), and none is told of`];
  const due = told === JSON_TYPE ? `${JSON_TYPE}; charset=utf-8` : told;
  const isRight = told === '*/*' ? type !== null : type === due;
  return isRight ? [] : [`content-type is ${type} and not ${due}`];
}

/** The examples of an error response are named by its codes. */
function codeFaults(codes: readonly string[], text: string): string[] {
  return codes.some((code) => text.includes(`"code":"${code}"`)) ? [] : [`the code is none of ${codes.join(', ')}`];
}

function shapeOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}

function namesIn(path: string): number {
  return path.split('{').length;
}

/** As a part of a JSON pointer in a URL. */
function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no JSON, which no schema allows
  }
}
