import { createCatalogue, defineHandler } from '@jobline/handlers';
import { type Logger, silentLogger } from '@jobline/runtime';
import Joi, { type ObjectSchema } from 'joi';
import { beforeEach, expect, it } from 'vitest';
import { publishedSchemas } from './custom-handlers.js';

const run = async () => 'ok';
const ofSize = (bytes: number): ObjectSchema => Joi.object({ a: Joi.string().description('x'.repeat(bytes)) });

let warned: unknown[];
const log: Logger = {
  ...silentLogger,
  warn: (_message, fields = {}) => void warned.push(Object.entries(fields)[0]?.[1]),
};
beforeEach(() => {
  warned = [];
});

it('the schemas of custom types are published, and not those of built-in ones', () => {
  const schema = Joi.object({ name: Joi.string().required() });
  const handlers = [defineHandler({ type: 'greet', schema, run }), defineHandler({ type: 'plain', run })];
  const published = publishedSchemas(createCatalogue([...createCatalogue().values(), ...handlers]), log);

  expect([...published.keys()]).toEqual(['greet']);
  expect(JSON.parse(published.get('greet') ?? '')).toMatchObject({ type: 'object', required: ['name'] });
  expect(warned).toEqual([]);
});

it('a schema of more than 64 KiB, and one beyond 1 MiB of all, is logged and not published', () => {
  const many = Array.from({ length: 17 }, (_, n) => defineHandler({ type: `t${n}`, schema: ofSize(65_000), run }));
  const large = defineHandler({ type: 'large', schema: ofSize(64 * 1024), run });
  const published = publishedSchemas(createCatalogue([large, ...many]), log);

  expect([...published.keys()]).toEqual(many.slice(0, 16).map(({ type }) => type));
  expect(warned).toEqual(['large', 't16']);
});

it('a schema that its library cannot convert is logged and not published', () => {
  const input = (): Record<string, unknown> => {
    throw new Error('not this one');
  };
  const standard = { version: 1 as const, vendor: 'test', validate: () => ({}), jsonSchema: { input } };
  const handler = defineHandler({ type: 'mine', schema: { '~standard': standard }, run });

  expect(publishedSchemas(createCatalogue([handler]), log).size).toBe(0);
  expect(warned).toEqual(['mine']);
});
