import { expect, test } from 'vitest';
import { withoutUrls } from './html-frame.js';

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
