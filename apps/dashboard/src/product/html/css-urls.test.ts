import { expect, test } from 'vitest';
import { withoutUrls } from './css-urls.js';

test.each([
  ['background: url(https://a.example/x.png) no-repeat', 'background: none no-repeat'],
  ['background: URL( "//a.example/x" ), url(\'y\')', 'background: none, none'],
  ['background: url(data:image/png;base64,AAAA)', 'background: url(data:image/png;base64,AAAA)'],
  ['background: url( "data:image/png;base64,AAAA" )', 'background: url( "data:image/png;base64,AAAA" )'],
  ['background: url(https://a.example/never-closed', 'background: none'],
  ['@import "https://a.example/x.css"; color: red', ' color: red'],
  ['color: red', 'color: red'],
])('a style loads nothing from elsewhere: %s', (css, expected) => {
  expect(withoutUrls(css)).toBe(expected);
});

// In time that grows with the square of the length, these would take minutes.
test.each([
  ['url(', 'none'],
  ['url( ', 'none'],
  ['url("', 'none'],
  ['@import', ''],
])('a megabyte of %s ends within the time of a test', (unit, expected) => {
  expect(withoutUrls(unit.repeat(1_000_000 / unit.length))).toBe(expected);
});
