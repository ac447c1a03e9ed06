import Big from 'big.js';
import { type Currency, roundTo } from '../money/currency.js';
import { isBlank, withoutPercent } from '../money/read-number.js';
import { createNumberReader, type Fields, invalidField, itemsOf, type NumberReader } from './fields.js';

/**
 * The sums of the built-in documents, in exact decimal arithmetic. Every sum has the decimals of the currency, and is
 * computed from the sums that are printed before it. So what is printed adds up.
 */
export interface Lines {
  currency: Currency;
  lines: Line[];
  /** The sum of the lines. */
  subtotal: Big;
}

export interface Line {
  item: Fields;
  quantity: Big;
  /** It may have more decimals than its currency. Null if only the amount is given. */
  unitPrice: Big | null;
  amount: Big;
}

export interface InvoiceSums extends Lines {
  discount: Big;
  /** In percent; null if the discount is an amount. */
  discountRate: Big | null;
  /** In percent. */
  taxRate: Big;
  /** The tax of the subtotal less the discount. */
  tax: Big;
  shipping: Big;
  total: Big;
  paid: Big;
  due: Big;
}

export interface ReceiptSums extends Lines {
  tax: Big;
  /** The sum of subtotal and tax. */
  total: Big;
  /** What was paid: the total, unless the data has another amount. */
  received: Big;
}

const ZERO = new Big(0);
const ONE = new Big(1);

export function invoiceSums(data: Fields): InvoiceSums {
  const reader = createNumberReader(data);
  const { currency, lines, subtotal } = linesOf(data, reader);
  const round = (amount: Big) => roundTo(amount, currency.decimals);
  const amountOf = (name: string) => round(isBlank(data[name]) ? ZERO : reader.amount(data[name], `data.${name}`));

  const isPercentage = withoutPercent(data.discount) !== null;
  const discountRate = isPercentage ? reader.rate(data.discount, 'data.discount') : null;
  const discount = discountRate ? round(percentOf(subtotal, discountRate)) : amountOf('discount');
  const net = subtotal.minus(discount);
  if (subtotal.gt(0) && net.lt(0)) throw invalidField('data.discount', data.discount, 'is more than the subtotal');

  const taxRate = isBlank(data.tax_rate) ? ZERO : reader.rate(data.tax_rate, 'data.tax_rate');
  const tax = round(percentOf(net, taxRate));
  const shipping = amountOf('shipping');
  const total = net.plus(tax).plus(shipping);
  const paid = amountOf('paid');
  return {
    currency,
    lines,
    subtotal,
    discount,
    discountRate,
    taxRate,
    tax,
    shipping,
    total,
    paid,
    due: total.minus(paid),
  };
}

export function receiptSums(data: Fields): ReceiptSums {
  const reader = createNumberReader(data);
  const { currency, lines, subtotal } = linesOf(data, reader);
  const amountOf = (name: string) => roundTo(reader.amount(data[name], `data.${name}`), currency.decimals);

  const tax = isBlank(data.tax) ? ZERO : amountOf('tax');
  const total = subtotal.plus(tax);
  return { currency, lines, subtotal, tax, total, received: isBlank(data.amount) ? total : amountOf('amount') };
}

function linesOf(data: Fields, reader: NumberReader): Lines {
  const { currency } = reader;
  const lines = itemsOf(data).map((item, n) => lineOf(item, `data.items[${n}]`, reader));
  return { currency, lines, subtotal: lines.reduce((sum, { amount }) => sum.plus(amount), ZERO) };
}

/** An amount that is given counts; otherwise it is computed. */
function lineOf(item: Fields, path: string, { currency, ...reader }: NumberReader): Line {
  const quantity = isBlank(item.quantity) ? ONE : reader.quantity(item.quantity, `${path}.quantity`);
  const priceField = ['unit_price', 'price'].find((name) => !isBlank(item[name]));
  const price = priceField === undefined ? null : reader.amount(item[priceField], `${path}.${priceField}`);
  if (!isBlank(item.amount)) {
    const amount = reader.amount(item.amount, `${path}.amount`);
    return { item, quantity, unitPrice: price, amount: roundTo(amount, currency.decimals) };
  }
  const unitPrice = price ?? ZERO;
  return { item, quantity, unitPrice, amount: roundTo(quantity.times(unitPrice), currency.decimals) };
}

/** Exact: dividing by 100 only moves the point. */
function percentOf(amount: Big, rate: Big): Big {
  return amount.times(rate).times('0.01');
}
