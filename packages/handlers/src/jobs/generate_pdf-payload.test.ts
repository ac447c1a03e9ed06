import { describe, expect, test } from 'vitest';
import { issuesOf } from '../payload.js';
import { generatePdf } from './generate_pdf.js';

describe('the payload of generate_pdf', () => {
  test.each([
    { template: 'invoice' },
    { template: '<p>', data: {} },
    { template: 'x', data: { a: [1, { b: null }] }, unknown: 1 },
    { template: 'x', timezone: 'Europe/Berlin' },
    { template: 'x', timezone: 'UTC' },
    { template: 'x', filename: 'a' },
    { template: 'x', filename: 'é'.repeat(200) },
  ])('can be %j', (payload) => {
    expect(issuesOf(generatePdf, payload)).toEqual([]);
  });

  test.each([
    [{}, 'payload.template'],
    [{ template: '' }, 'payload.template'],
    [{ template: 7 }, 'payload.template'],
    [{ template: 'x', data: null }, 'payload.data'],
    [{ template: 'x', data: [] }, 'payload.data'],
    [{ template: 'x', data: '{}' }, 'payload.data'],
    [{ template: 'x', timezone: 'Mars/Olympus' }, 'payload.timezone'],
    [{ template: 'x', timezone: '+03:00' }, 'payload.timezone'],
    [{ template: 'x', timezone: '' }, 'payload.timezone'],
    [{ template: 'x', timezone: 3 }, 'payload.timezone'],
    [{ template: 'x', filename: '' }, 'payload.filename'],
    [{ template: 'x', filename: 'a/b.pdf' }, 'payload.filename'],
    [{ template: 'x', filename: 'a\ud800' }, 'payload.filename'],
    [{ template: 'x', filename: 'é'.repeat(201) }, 'payload.filename'],
    [{ template: 'x', filename: 7 }, 'payload.filename'],
  ])('must not be %j', (payload, path) => {
    expect(issuesOf(generatePdf, payload).map((issue) => issue.path)).toEqual([path]);
  });
});
