/**
 * An order of a shop: jobs of one request, each of which starts after the one before it. docs/start.md explains it.
 * `run` differs at every start.
 */
export function orderJobs(run: string) {
  const id = (name: string) => `order-${run}-${name}`;
  const reference = { $from: id('payment'), path: '/payment/receipt' };
  return [
    {
      id: id('payment'),
      type: 'mobile_money_stk',
      payload: { phone: '254700000001', amount: 4_872, ref: 'A-1001' },
    },
    {
      id: id('receipt'),
      type: 'generate_pdf',
      after: [{ id: id('payment'), when: 'paid' as const }],
      payload: {
        template: 'receipt',
        data: {
          ...{ number: 'A-1001', currency: 'KES', method: 'Mobile money', reference },
          ...{ company: { name: 'Baobab Bakery' }, customer: { name: 'Ada Achieng' } },
          items: [{ description: 'Sourdough bread', quantity: 24, unit_price: 203 }],
        },
      },
    },
    {
      id: id('email'),
      type: 'send_email',
      after: [id('receipt')],
      payload: {
        to: 'delivered@sandbox.jobline.test',
        subject: 'Your receipt A-1001',
        text: 'Thank you. Your receipt is attached.',
        attachments: [{ job: id('receipt') }],
      },
    },
    {
      id: id('text'),
      type: 'send_sms',
      after: [id('email')],
      payload: { to: '+254700000001', message: 'Order A-1001 is paid, the receipt is in your mail.' },
    },
    {
      id: id('team'),
      type: 'team_chat_notify',
      after: [id('text')],
      payload: { channel: '#orders', text: 'Order A-1001 is paid and confirmed.' },
    },
  ];
}
