import { expect, test } from 'vitest';
import { isHtml } from './html.js';

test.each([
  '<p>Hello</p>',
  '<!DOCTYPE html><title>x',
  'Hello<br>Ada',
  'Hello<BR />Ada',
  'look: <img src="https://a.example/x.png">',
  'some <b>bold</b> words',
  '<p>Hello',
  "Hello <div class='a'>Ada",
  'Hello<br / >Ada <br\n/>',
  '<ada> and <p\n>',
  '<a href=x/>',
])('the body %j is HTML', (body) => {
  expect(isHtml(body)).toBe(true);
});

test.each([
  'Hello Ada',
  '',
  '3 < 4 and 5 > 4',
  'if a <b and c> d',
  '<ada@example.org> wrote:',
  'see <https://example.org/a/b>',
  '</> and </ p>',
  '<brief>',
  '<br x>',
  '<b and c> is <b',
])('the body %j is plain text', (body) => {
  expect(isHtml(body)).toBe(false);
});

test('a megabyte that almost looks like HTML is checked quickly', () => {
  const cost = cpuTimeOf(() => {
    for (const piece of ['<', '</a', '<br ', '<br', '<img a=', ' ', '</a ', '<a b '])
      isHtml(piece.repeat(1_000_000 / piece.length));
    for (const start of ['<a =', '<a ', '<a', '</a', '<!doctype']) isHtml(start + ' '.repeat(1_000_000));
  });
  // A pattern that searches for an end from every position would take hours.
  expect(cost).toBeLessThan(5_000);
});

/** The CPU time of the step in milliseconds. */
function cpuTimeOf(step: () => void): number {
  const before = process.cpuUsage();
  step();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
