/** The payload of every job of every system: 173 bytes of JSON. */
export interface Payload {
  order_id: string;
  customer: { id: string; email: string };
  amount: number;
  currency: string;
  items: { sku: string; quantity: number }[];
  /** By the machine's monotonic clock; 0 if pickup is not measured. */
  sent_at: number;
}

export function makePayload(sentAt = 0): Payload {
  return {
    order_id: 'ord_2f8c61b7a94e',
    customer: { id: 'cus_71c0', email: 'ada@example.com' },
    amount: 129_900,
    currency: 'KES',
    items: [{ sku: 'TSHIRT-M', quantity: 2 }],
    sent_at: sentAt,
  };
}

/** Milliseconds of the monotonic clock that all processes of a machine share. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
