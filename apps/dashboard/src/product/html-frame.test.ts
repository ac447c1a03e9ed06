import { expect, test } from 'vitest';
import { looksLikeHtml, withoutUrls } from './html-frame.js';

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

test.each([
  ['background: url(https://a.example/x.png) no-repeat', 'background: none no-repeat'],
  ['background: URL( "//a.example/x" ), url(\'y\')', 'background: none, none'],
  ['background: url(data:image/png;base64,AAAA)', 'background: url(data:image/png;base64,AAAA)'],
  ['background: url( "data:image/png;base64,AAAA" )', 'background: url( "data:image/png;base64,AAAA" )'],
  ['background: url(https://a.example/never-closed', 'background: none'],
  ['@import "https://a.example/x.css"; color: red', ' color: red'],
  ['color: red', 'color: red'],
])('a style loads no remote resource: %s', (css, expected) => {
  expect(withoutUrls(css)).toBe(expected);
});

// If the time were quadratic in the length, these inputs would take minutes.
test.each([
  ['url(', 'none'],
  ['url( ', 'none'],
  ['url("', 'none'],
  ['@import', ''],
])('a megabyte of %s is processed within the timeout of a test', (unit, expected) => {
  expect(withoutUrls(unit.repeat(1_000_000 / unit.length))).toBe(expected);
});
