import { PermanentError } from '@jobline/handlers/errors';
import { describe, expect, test } from 'vitest';
import type { Fields } from './fields.js';
import { prepareDocument } from './prepare.js';

type Printed = {
  date: unknown;
  due_date: unknown;
  items: { quantity: string; unit_price: string | null; amount: string }[];
  sums: Record<string, string | null>;
};

/** The cast: this is what the templates print. */
const print = (template: 'invoice' | 'receipt', data: Fields, timezone?: string) =>
  prepareDocument(template, data, timezone) as Printed;

/** The rows of the items and of the totals, without those that are left out, as they are printed. */
function rowsOf(template: 'invoice' | 'receipt', data: Fields): string[] {
  const { items, sums } = print(template, data);
  const { discount_rate: _discount, tax_rate: _tax, due_label: _label, ...totals } = sums;
  return [
    ...items.map(({ quantity, unit_price, amount }) => `${quantity} × ${unit_price ?? ''} = ${amount}`),
    ...Object.entries(totals).flatMap(([name, amount]) => (amount === null ? [] : [`${name} ${amount}`])),
  ].map((row) => row.replaceAll('\u00a0', ' '));
}

test.each<[string, Fields, string[]]>([
  [
    'three decimals',
    { currency: 'KWD', items: [{ unit_price: 1.255 }, { quantity: 3, unit_price: 0.125 }], tax_rate: 5 },
    [
      '1 × KWD 1.255 = KWD 1.255',
      '3 × KWD 0.125 = KWD 0.375',
      'subtotal KWD 1.630',
      'tax KWD 0.082',
      'total KWD 1.712',
      'due KWD 1.712',
    ],
  ],
  [
    'three decimals, as texts',
    { currency: 'BHD', items: [{ quantity: '2.5', unit_price: '0.333' }], tax_rate: '10%', discount: '0.100' },
    [
      '2.5 × BHD 0.333 = BHD 0.833',
      'subtotal BHD 0.833',
      'discount -BHD 0.100',
      'tax BHD 0.073',
      'total BHD 0.806',
      'due BHD 0.806',
    ],
  ],
  [
    'three decimals, in Oman',
    { currency: 'OMR', items: [{ quantity: 7, unit_price: 0.0625 }], tax_rate: 5, shipping: '1.0005' },
    [
      '7 × OMR 0.0625 = OMR 0.438',
      'subtotal OMR 0.438',
      'tax OMR 0.022',
      'shipping OMR 1.001',
      'total OMR 1.461',
      'due OMR 1.461',
    ],
  ],
  [
    'three decimals, in Jordan',
    { currency: 'JOD', items: [{ amount: '19.999' }, { amount: 0.0015 }], tax_rate: '16%', paid: '5.125' },
    [
      '1 ×  = JOD 19.999',
      '1 ×  = JOD 0.002',
      'subtotal JOD 20.001',
      'tax JOD 3.200',
      'total JOD 23.201',
      'paid -JOD 5.125',
      'due JOD 18.076',
    ],
  ],
  [
    'three decimals, in Tunisia',
    { currency: 'TND', items: [{ quantity: 12, unit_price: '1,375' }], locale: 'fr', discount: '7 %' },
    ['12 × TND 1.375 = TND 16.500', 'subtotal TND 16.500', 'discount -TND 1.155', 'total TND 15.345', 'due TND 15.345'],
  ],
  [
    'no decimals',
    { currency: 'JPY', items: [{ quantity: 3, unit_price: 10.5 }, { amount: '1,200' }], tax_rate: 10 },
    ['3 × ¥10.5 = ¥32', '1 ×  = ¥1,200', 'subtotal ¥1,232', 'tax ¥123', 'total ¥1,355', 'due ¥1,355'],
  ],
  [
    'no decimals, unlike its locale data',
    { currency: 'ISK', items: [{ quantity: 2, unit_price: 1250.25 }], tax_rate: 24 },
    ['2 × ISK 1,250.25 = ISK 2,501', 'subtotal ISK 2,501', 'tax ISK 600', 'total ISK 3,101', 'due ISK 3,101'],
  ],
  [
    'two decimals, unlike its locale data',
    { currency: 'HUF', items: [{ quantity: 3, unit_price: 33.335 }], tax_rate: 27 },
    ['3 × HUF 33.335 = HUF 100.01', 'subtotal HUF 100.01', 'tax HUF 27.00', 'total HUF 127.01', 'due HUF 127.01'],
  ],
  [
    'unit prices with many decimals',
    {
      items: [
        { quantity: 150_000, unit_price: 0.00045 },
        { quantity: 3, unit_price: '0.3333' },
      ],
    },
    ['150000 × $0.00045 = $67.50', '3 × $0.3333 = $1.00', 'subtotal $68.50', 'total $68.50', 'due $68.50'],
  ],
  [
    'half a cent, which binary floats lose',
    { items: [{ unit_price: 1.005 }, { quantity: 1.1, unit_price: 1.15 }, { amount: -2.675 }], tax_rate: 8.375 },
    [
      '1 × $1.005 = $1.01',
      '1.1 × $1.15 = $1.27',
      '1 ×  = -$2.68',
      'subtotal -$0.40',
      'tax -$0.03',
      'total -$0.43',
      'due -$0.43',
    ],
  ],
  [
    'tax of the subtotal less the discount, and then shipping',
    { items: [{ amount: 200 }], discount: 50, tax_rate: 10, shipping: 7.5, paid: 100 },
    [
      '1 ×  = $200.00',
      'subtotal $200.00',
      'discount -$50.00',
      'tax $15.00',
      'shipping $7.50',
      'total $172.50',
      'paid -$100.00',
      'due $72.50',
    ],
  ],
])('an invoice with %s adds up', (_what, data, rows) => {
  expect(rowsOf('invoice', data)).toEqual(rows);
});

test.each<[string, Fields]>([
  ['texts of NUMERIC', { discount: '0.00', shipping: '0.00', tax_rate: '0.00', paid: '0.00' }],
  ['short texts', { discount: '0', shipping: '0', tax_rate: '0', paid: '0' }],
  ['numbers', { discount: 0, shipping: 0, tax_rate: 0, paid: 0 }],
  ['formatted texts', { discount: '$0', shipping: '0,00', tax_rate: '0 %', paid: '-0.00' }],
  ['percentages', { discount: '0.0%', shipping: ' 0 ', tax_rate: '0.000', paid: '(0.00)' }],
  ['blanks', { discount: null, shipping: '', tax_rate: false, paid: ' ' }],
])('the rows of zeros are left out: %s', (_what, data) => {
  const items = [{ quantity: '2.00', unit_price: '10.50' }];

  expect(rowsOf('invoice', { items, ...data })).toEqual([
    '2 × $10.50 = $21.00',
    'subtotal $21.00',
    'total $21.00',
    'due $21.00',
  ]);
});

test.each<[Fields, string[]]>([
  [
    { items: [{ amount: '$100.00' }, { amount: '1,200.00' }], tax_rate: '16%', discount: '10%' },
    ['subtotal $1,300.00', 'discount -$130.00', 'tax $187.20', 'total $1,357.20'],
  ],
  [
    { currency: 'EUR', items: [{ quantity: '2', unit_price: '1.200,50 €' }], tax_rate: '19 %' },
    ['subtotal €2,401.00', 'tax €456.19', 'total €2,857.19'],
  ],
  [
    { currency: 'CHF', items: [{ amount: "1'234.50" }], tax_rate: '8,1 %', shipping: 'CHF 12' },
    ['subtotal CHF 1,234.50', 'tax CHF 99.99', 'shipping CHF 12.00', 'total CHF 1,346.49'],
  ],
  [
    { currency: 'INR', items: [{ amount: '₹1,00,000' }, { amount: '12,34,567.89' }], discount: '5 %' },
    ['subtotal ₹1,334,567.89', 'discount -₹66,728.39', 'total ₹1,267,839.50'],
  ],
  [
    { currency: 'SEK', items: [{ amount: '1\u202f234,50 kr' }], paid: '234,50 kr' },
    ['subtotal SEK 1,234.50', 'total SEK 1,234.50', 'paid -SEK 234.50'],
  ],
  [
    { locale: 'de', items: [{ amount: '1.200' }], discount: '1,200', tax_rate: '19' },
    ['subtotal $1,200.00', 'discount -$1.20', 'tax $227.77', 'total $1,426.57'],
  ],
])('formatted texts count in every sum: %j', (data, rows) => {
  expect(rowsOf('invoice', data)).toEqual(expect.arrayContaining(rows));
});

test.each<[Fields, string]>([
  [{ items: [{ amount: 1 }, { amount: '1,200' }] }, 'data.items[1].amount "1,200" has two readings, 1200 and 1.2: '],
  [{ items: [{ unit_price: '1.200' }] }, 'data.items[0].unit_price "1.200" has two readings, 1200 and 1.2: '],
  [{ items: [{ price: 'free' }] }, 'data.items[0].price "free" is not a number that has one reading'],
  [
    { items: [{ quantity: '2 h', amount: 5 }] },
    'data.items[0].quantity "2 h" is not a plain number such as 1200 or 2.5',
  ],
  [{ items: [{ amount: '€5' }] }, 'data.items[0].amount "€5" has the sign of another currency than USD'],
  [{ items: [{ amount: true }] }, 'data.items[0].amount true must be a number or a text'],
  [{ items: ['Rent'] }, 'data.items[0] "Rent" must be an object'],
  [{ items: { amount: 5 } }, 'data.items {"amount":5} must be a list'],
  [{ tax_rate: '16 percent' }, 'data.tax_rate "16 percent" is not a plain number such as 1200 or 2.5'],
  [{ discount: 'ten %' }, 'data.discount "ten %" is not a number that has one reading'],
  [{ shipping: '5 km' }, 'data.shipping "5 km" is not a number that has one reading'],
  [{ paid: '1,000' }, 'data.paid "1,000" has two readings, 1000 and 1: '],
  [{ currency: 5 }, 'data.currency 5 must be a text'],
  [{ locale: 'xx' }, 'data.locale "xx" is not a known locale such as en or de-DE'],
  [{ items: [{ amount: 10 }], discount: 10.01 }, 'data.discount 10.01 is more than the subtotal'],
  [{ items: [{ amount: 10 }], discount: '101%' }, 'data.discount "101%" is more than the subtotal'],
])('what has no single meaning fails permanently and is named: %j', (data, message) => {
  const refused = errorOf('invoice', data);

  expect(refused).toBeInstanceOf(PermanentError);
  expect(refused).toMatchObject({ code: 'invalid_payload', message: expect.stringContaining(message) });
});

describe('a credit', () => {
  test('is printed if the total is negative', () => {
    const data = { items: [{ amount: '(100.00)' }], discount: '10%', tax_rate: '16%' };

    expect(rowsOf('invoice', data)).toEqual([
      '1 ×  = -$100.00',
      'subtotal -$100.00',
      'discount $10.00',
      'tax -$14.40',
      'total -$104.40',
      'due -$104.40',
    ]);
    expect(print('invoice', data).sums.due_label).toBe('Credit');
  });

  test('is printed if more was paid than is due', () => {
    const { sums } = print('invoice', { items: [{ amount: 5 }], paid: '7.50' });

    expect(sums).toMatchObject({ due: '-$2.50', due_label: 'Credit' });
  });

  test('a discount that equals the subtotal leaves nothing due', () => {
    const { sums } = print('invoice', { items: [{ amount: 5 }], discount: '100 %', tax_rate: 16 });

    expect(sums).toMatchObject({
      discount: '-$5.00',
      tax: '$0.00',
      total: '$0.00',
      due: '$0.00',
      due_label: 'Amount due',
    });
  });
});

describe('a receipt', () => {
  test.each<[Fields, string[]]>([
    [
      { items: [{ amount: '1,200.00' }, { amount: 5 }] },
      ['1 ×  = $1,200.00', '1 ×  = $5.00', 'subtotal $1,205.00', 'received $1,205.00'],
    ],
    [
      { currency: 'KWD', items: [{ quantity: 3, unit_price: 0.125 }], tax: '0.019' },
      ['3 × KWD 0.125 = KWD 0.375', 'subtotal KWD 0.375', 'tax KWD 0.019', 'received KWD 0.394'],
    ],
    [{ items: [{ amount: 5 }], tax: '0.00' }, ['1 ×  = $5.00', 'subtotal $5.00', 'received $5.00']],
    [
      { items: [{ amount: 5 }], tax: 1, amount: '$6.00' },
      ['1 ×  = $5.00', 'subtotal $5.00', 'tax $1.00', 'received $6.00'],
    ],
    [{ items: [{ amount: 5 }], amount: 3 }, ['1 ×  = $5.00', 'subtotal $5.00', 'total $5.00', 'received $3.00']],
    [{ amount: '1.200,50', currency: 'EUR' }, ['subtotal €0.00', 'total €0.00', 'received €1,200.50']],
  ])('adds up: %j', (data, rows) => {
    expect(rowsOf('receipt', data)).toEqual(rows);
  });

  test.each<[Fields, string]>([
    [{ amount: '1,200' }, 'data.amount "1,200" has two readings, 1200 and 1.2: '],
    [{ amount: 5, tax: '16%' }, 'data.tax "16%" is not a number that has one reading'],
  ])('names what has no single meaning: %j', (data, message) => {
    expect(errorOf('receipt', data)).toMatchObject({ message: expect.stringContaining(message) });
  });
});

test('the dates of all documents are prepared, and data that is not computed stays', () => {
  const data = { date: '2026-03-31T23:00:00Z', due_date: '2026-04-30', notes: 'n', items: [{ details: 'd' }] };

  expect(print('invoice', data)).toMatchObject({ date: '31 March 2026', due_date: '30 April 2026', notes: 'n' });
  expect(print('invoice', data, 'Africa/Nairobi')).toMatchObject({ date: '1 April 2026', due_date: '30 April 2026' });
  expect(print('invoice', data).items).toMatchObject([
    { details: 'd', quantity: '1', unit_price: '$0.00', amount: '$0.00' },
  ]);
  expect(prepareDocument('report', data, undefined)).toEqual({ ...data, date: '31 March 2026' });
});

function errorOf(template: 'invoice' | 'receipt', data: Fields): unknown {
  try {
    return print(template, data);
  } catch (error) {
    return error;
  }
}
