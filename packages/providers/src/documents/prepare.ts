import type { BuiltInTemplate } from '@jobline/handlers/ports';
import type Big from 'big.js';
import { isBlank } from '../money/read-number.js';
import { dayText } from '../template/shown-time.js';
import type { Fields } from './fields.js';
import { invoiceSums, type Lines, receiptSums } from './sums.js';

/**
 * The data of a built-in document with everything computed: its templates only print texts. Their `sums` are the totals,
 * and null for a row that is left out.
 */
export function prepareDocument(template: BuiltInTemplate, data: Fields, timezone: string | undefined): Fields {
  return {
    ...data,
    date: dayText(isBlank(data.date) ? 'now' : data.date, timezone),
    ...PRINTED[template](data, timezone),
  };
}

const PRINTED: Record<BuiltInTemplate, (data: Fields, timezone: string | undefined) => Fields> = {
  invoice: (data, timezone) => ({
    due_date: dayText(data.due_date, timezone),
    ...printInvoice(data),
  }),
  receipt: printReceipt,
  report: () => ({}),
};

function printInvoice(data: Fields): Fields {
  const { discountRate, taxRate, due, ...sums } = invoiceSums(data);
  const { print, printUnlessZero } = printerOf(sums);
  return {
    items: printLines(sums),
    sums: {
      subtotal: print(sums.subtotal),
      discount: printUnlessZero(sums.discount.neg()),
      discount_rate: discountRate?.toFixed() ?? null,
      tax: taxRate.eq(0) ? null : print(sums.tax),
      tax_rate: taxRate.toFixed(),
      shipping: printUnlessZero(sums.shipping),
      total: print(sums.total),
      paid: printUnlessZero(sums.paid.neg()),
      due: print(due),
      due_label: due.lt(0) ? 'Credit' : 'Amount due',
    },
  };
}

function printReceipt(data: Fields): Fields {
  const sums = receiptSums(data);
  const { print, printUnlessZero } = printerOf(sums);
  return {
    items: printLines(sums),
    sums: {
      subtotal: print(sums.subtotal),
      tax: printUnlessZero(sums.tax),
      total: sums.total.eq(sums.received) ? null : print(sums.total),
      received: print(sums.received),
    },
  };
}

function printLines({ currency, lines }: Lines): Fields[] {
  return lines.map(({ item, quantity, unitPrice, amount }) => ({
    ...item,
    quantity: quantity.toFixed(),
    unit_price: unitPrice && currency.format(unitPrice, Math.max(currency.decimals, decimalsOf(unitPrice))),
    amount: currency.format(amount),
  }));
}

function printerOf({ currency }: Lines) {
  const print = (amount: Big) => currency.format(amount);
  return { print, printUnlessZero: (amount: Big) => (amount.eq(0) ? null : print(amount)) };
}

function decimalsOf({ c, e }: Big): number {
  return c.length - 1 - e;
}
