import { expect, test } from 'vitest';
import { looksLikeHtml } from './looks-like-html.js';

// The same cases as in packages/providers/src/email/content.test.ts: the preview must match the email that is sent.
test.each([
  '<p>Hello</p>',
  '<!DOCTYPE html><title>x',
  'Hello<br>Ada',
  'look: <img src="https://a.example/x.png">',
  '<p>Hello',
])('%j is shown as HTML', (body) => expect(looksLikeHtml(body)).toBe(true));

test.each([
  'Hello Ada',
  '',
  '3 < 4 and 5 > 4',
  'if a <b and c> d',
  '<ada@example.org> wrote:',
  '</> and </ p>',
  '<brief>',
])('%j is shown as text', (body) => expect(looksLikeHtml(body)).toBe(false));
