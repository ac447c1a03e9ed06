import { expect, test } from 'vitest';
import { aboutsOf, addressForms } from './about.js';

test.each([
  ['send_email', { to: 'Ada@Example.com' }, 'ada@example.com'],
  ['send_sms', { to: '+254700000001' }, '+254700000001'],
  ['send_chat_message', { to: '254700000001' }, '254700000001'],
  ['team_chat_notify', { channel: '#Alerts' }, '#alerts'],
  ['mobile_money_stk', { phone: '254700000001' }, '254700000001'],
  ['webhook', { url: 'https://Hooks.Example.com:8443/a?b=c' }, 'hooks.example.com'],
  ['compress_image', { url: 'https://img.example.com/a.png' }, 'img.example.com'],
  ['compress_image', { source: { file: 'x' } }, null],
  ['generate_pdf', { template: 'invoice' }, null],
  ['own-type', { to: 'ada@example.com' }, null],
])('a job of the type %s with the payload %j is about %s', (type, payload, about) => {
  expect(aboutsOf(type, payload).map(({ value }) => value)).toEqual(about === null ? [] : [about]);
});

test('an email is about its recipient, and its copies are listed as copies', () => {
  const payload = { to: 'ada@example.com', cc: ['Bob@Example.com'], bcc: ['eve@example.com'] };

  expect(aboutsOf('send_email', payload)).toEqual([
    { field: 'to', value: 'ada@example.com' },
    { field: 'cc', value: 'bob@example.com' },
    { field: 'bcc', value: 'eve@example.com' },
  ]);
});

test.each([
  [{ to: { $from: 'lookup', path: '/email' } }],
  [{ $from: 'lookup' }],
  [{ to: '\0' }],
  [{ to: '\ud800' }],
  [{ to: 'a'.repeat(10_000) }],
  [{ to: [['nested']] }],
  [{ to: null, cc: 7 }],
])('a payload whose recipient is no usable text, such as a reference, is about nothing: %j', (payload) => {
  expect(aboutsOf('send_email', payload)).toEqual([]);
});

test('an address has the forms of its domain, and a phone number those with and without its plus', () => {
  expect(addressForms('Ada@bücher.example')).toEqual(['ada@bücher.example', 'ada@xn--bcher-kva.example']);
  expect(addressForms('+254700000001')).toEqual(['254700000001', '+254700000001']);
  expect(addressForms('hooks.example.com')).toEqual(['hooks.example.com']);
});
