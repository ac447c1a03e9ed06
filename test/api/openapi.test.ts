import { readFileSync } from 'node:fs';
import { endpoints } from '@jobline/api/endpoints';
import { createDocument, type OpenApiDocument } from '@jobline/api/openapi';
import { createCatalogue } from '@jobline/handlers';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../harness/index.js';

const PUBLIC_URL = 'https://jobs.acme.test';

/** Rules in addition to the strict ones: the linter has them, and the document follows them. */
const MORE_RULES = {
  // It would reject schemas that another completes, such as that of a submission; test/api/docs sends the examples.
  'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
  'no-http-verbs-in-paths': 'error',
  'operation-description': 'error',
  'operation-singular-tag': 'error',
  'operation-tag-defined': 'error',
  'path-params-defined': 'error',
  'paths-kebab-case': 'error',
} as const;

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api({ settings: { publicUrl: PUBLIC_URL } });
  person = await register(api.call);
});

afterAll(() => world.end());

function makeDocument(list = endpoints): OpenApiDocument {
  return createDocument(list, { catalogue: createCatalogue(), publicUrl: PUBLIC_URL });
}

describe('GET /openapi.json', () => {
  it('needs no credential and is always the same document', async () => {
    const answer = await api.call('GET', '/openapi.json');

    expect(answer.status).toBe(200);
    expect(answer.text).toBe(JSON.stringify(makeDocument()));
    expect(answer.body).toMatchObject({ openapi: '3.1.1', servers: [{ url: PUBLIC_URL }] });
  });

  it('passes a strict linter', async () => {
    const config = await createConfig({ extends: ['recommended-strict'], rules: MORE_RULES });
    const all = await lintFromString({ source: JSON.stringify(makeDocument()), config });
    // No job has the id "bulk", and no bulk action has an id that is a word, so these paths are not ambiguous.
    const problems = all.filter(({ message }) => !message.includes('`/jobs/bulk/{id}` and `/jobs/{id}/'));

    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it('has every endpoint under its name, and nothing else', () => {
    const documented = Object.entries(makeDocument().paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { operationId }]) => `${operationId}: ${method} ${path}`),
    );
    const mounted = Object.entries(endpoints).map(
      ([name, { method, path }]) => `${name}: ${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
    );

    expect(documented.sort()).toEqual(mounted.sort());
  });

  it('has the version and the license of the package', () => {
    const root = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

    expect(makeDocument().info).toMatchObject({ version: root.version, license: { identifier: root.license } });
  });

  it('cannot be created from an endpoint without a tag', () => {
    const { alive } = endpoints;
    if (!alive) throw new Error('there is no such endpoint');

    expect(() => makeDocument({ odd: { ...alive, path: '/nowhere' } })).toThrow('/nowhere: no tag matches this path');
  });
});

describe('the documented schema of a submission is what POST /jobs accepts', () => {
  const ofWebhook = { url: 'https://example.com/hook', payload: {} };

  it.each([
    ['any payload of a type that it does not know', { type: 'a', payload: { b: [1] } }, true],
    ['the other spelling', { Type: 'a', Payload: {}, MaxRetries: 3, ID: 'x-1' }, true],
    ['every extension', { type: 'a', payload: {}, id: 'x-2', priority: 9, run_at: '2026-01-31T12:00:00Z' }, true],
    ['a built-in type', { type: 'webhook', payload: { ...ofWebhook, unknown: 1 } }, true],
    ['no payload', { type: 'a' }, false],
    ['two spellings', { type: 'a', Payload: {} }, false],
    ['a priority in the spelling that has none', { Type: 'a', Payload: {}, priority: 1 }, false],
    ['an unknown key', { type: 'a', payload: {}, color: 'red' }, false],
    ['a type with a space', { type: 'a b', payload: {} }, false],
    ['an id that is a path', { type: 'a', payload: {}, id: 'batch' }, false],
    ['too many retries', { type: 'a', payload: {}, max_retries: 101 }, false],
    ['a time that is none', { type: 'a', payload: {}, run_at: 'tomorrow' }, false],
    ['a built-in type with other fields', { type: 'webhook', payload: { ...ofWebhook, method: 'PUT' } }, true],
    ['a built-in type without what it needs', { type: 'webhook', payload: { url: ofWebhook.url } }, false],
    ['the same in the other spelling', { Type: 'webhook', Payload: { url: ofWebhook.url } }, false],
  ])('%s', async (_, body, isTaken) => {
    const ajv = addFormats.default(new Ajv2020({ strict: false }));
    ajv.addSchema(makeDocument(), 'api');
    const isAllowed = ajv.validate(
      { $ref: 'api#/paths/~1jobs/post/requestBody/content/application~1json/schema' },
      body,
    );
    const answer = await person.post('/jobs', body);

    expect([isAllowed, answer.status]).toEqual([isTaken, isTaken ? 202 : 400]);
  });
});
