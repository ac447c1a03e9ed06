import { expect, test } from 'vitest';
import { addressSetting, splitAddress } from './named-address.js';

test.each([
  ['ada@example.org', '', 'ada@example.org'],
  ['Ada <ada@example.org>', 'Ada', 'ada@example.org'],
  ['<ada@example.org>', '', 'ada@example.org'],
  ['"Ada, Countess" <ada@example.org>', 'Ada, Countess', 'ada@example.org'],
  ['"Ada \\"A\\" <eve@example.org> \\\\" <ada@example.org>', 'Ada "A" <eve@example.org> \\', 'ada@example.org'],
  ['Zoë Ångström <zoe@example.org>', 'Zoë Ångström', 'zoe@example.org'],
])('the address %s is split into name and address', (text, name, address) => {
  expect(splitAddress(text)).toEqual({ name, address });
});

test('an address setting must be one valid address', () => {
  const faultIn = (text: string) => addressSetting.validate(text).error !== undefined;

  expect(['ada@example.org', 'Ada <ada@mail.internal>'].filter(faultIn)).toEqual([]);
  expect(['Ada', 'ada@', '@example.org', 'a@x.org, b@x.org', 'Ada\r\nBcc: x <ada@example.org>'].every(faultIn)).toBe(
    true,
  );
});
