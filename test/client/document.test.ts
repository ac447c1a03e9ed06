import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endpoints } from '@jobline/api/endpoints';
import { createDocument } from '@jobline/api/openapi';
import { createCatalogue } from '@jobline/handlers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../architecture/sources.js';

const GENERATED = join(ROOT, 'packages/client/src/generated');
const GENERATOR = join(ROOT, 'packages/devstack/bin/client-api.mjs');
const TYPES_PROGRAM = join(ROOT, 'packages/client/node_modules/openapi-typescript/bin/cli.js');

const document = createDocument(endpoints, { catalogue: createCatalogue(), publicUrl: 'http://localhost:3000' });

describe('the generated code of the client', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'jobline-types-'));
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  it('is that of the document of the API', async () => {
    const { clientDocument, operationsTable } = await import(GENERATOR);
    const description = JSON.stringify(clientDocument(document));
    const file = join(dir, 'openapi.json');
    writeFileSync(file, description);
    const options = ['--default-non-nullable=false', '--empty-objects-unknown'];
    const { stdout } = await promisify(execFile)(process.execPath, [TYPES_PROGRAM, file, ...options], {
      maxBuffer: 16 * 1024 ** 2,
    });

    expect(readFileSync(join(GENERATED, 'openapi.json'), 'utf8')).toBe(description);
    expect(readFileSync(join(GENERATED, 'api.ts'), 'utf8').trim()).toBe(stdout.trim());
    expect(readFileSync(join(GENERATED, 'operations.ts'), 'utf8')).toBe(operationsTable(document));
  });

  it('has a payload and a result for each built-in type', () => {
    const { components } = JSON.parse(readFileSync(join(GENERATED, 'openapi.json'), 'utf8'));
    const types = [...createCatalogue().values()].map(({ type }) => type);

    const { Payloads, Results } = components.schemas;
    expect(Object.keys(Payloads.properties).sort()).toEqual(types.sort());
    expect(Object.keys(Results.properties).sort()).toEqual(types.sort());
  });
});
