import { expect, test } from 'vitest';
import { textPartOf } from './text-part.js';

test.each([
  ['paragraphs', '<p>Dear Ada,</p><p>your order<br>is on its way.</p>', 'Dear Ada,\n\nyour order\nis on its way.'],
  ['a link', '<a href="https://shop.example/o/1">Track it</a>', 'Track it [https://shop.example/o/1]'],
  ['a link that shows its address', '<a href="https://a.example">https://a.example</a>', 'https://a.example'],
  ['a list', '<ul><li>Tea<li>Milk</ul>', ' * Tea\n * Milk'],
  ['what is not text', '<style>p { color: red }</style><script>x()</script>Hi<img src="x.png">', 'Hi'],
  ['references and other scripts', '<p>3 &lt; 4 &amp; caf&eacute; &#8364;5 • سلام</p>', '3 < 4 & café €5 • سلام'],
])('the text part shows %s', (_what, html, text) => {
  expect(textPartOf({ html })).toBe(text);
});

test('a text part that would be much longer than its HTML is left out', () => {
  expect(textPartOf({ html: '<blockquote>'.repeat(90) + 'a<br>'.repeat(9_000) })).toBeNull();
});
