import { type Received, type Receiver, type ReceiverAddress, type Reply, startReceiver } from '../harness/index.js';

/** A prompt that the server received. */
export interface MpesaRequest extends Received {
  token: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads
  body: any;
}

export interface MpesaServer extends Omit<Receiver, 'received'> {
  /** The prompts in the order of arrival. */
  pushes: MpesaRequest[];
  queries: MpesaRequest[];
  tokens: Received[];
}

export interface MpesaBehavior {
  push?(n: number, request: MpesaRequest): Reply;
  query?(n: number): Reply;
  token?(n: number): Reply;
}

export const MPESA_SETTINGS = {
  PAYMENTS_PROVIDER: 'mpesa',
  PAYMENTS_CONSUMER_KEY: 'consumer',
  PAYMENTS_CONSUMER_SECRET: 'consumer-secret',
  PAYMENTS_PASSKEY: 'pass-key',
  PAYMENTS_SHORTCODE: '174379',
  PAYMENTS_WEBHOOK_SECRET: 'a-long-enough-secret',
  PUBLIC_URL: 'https://jobs.example.com/base',
};

/** A local server with the protocol of Daraja. It accepts every prompt as `ws_CO_<n>`, and no prompt is paid. */
export async function startMpesa(behavior: MpesaBehavior = {}, at?: ReceiverAddress): Promise<MpesaServer> {
  const { push = accepted, query = () => stillOpen, token = (n) => ({ body: tokenText(n) }) } = behavior;
  const pushes: MpesaRequest[] = [];
  const queries: MpesaRequest[] = [];
  const tokens: Received[] = [];
  const { received: _, ...server } = await startReceiver((request) => {
    if (request.path.includes('/oauth/v1/generate?grant_type=client_credentials')) return token(tokens.push(request));
    const asked = { ...request, token: bearer(request), body: JSON.parse(request.text) };
    if (request.path.endsWith('/mpesa/stkpush/v1/processrequest')) return push(pushes.push(asked), asked);
    if (request.path.endsWith('/mpesa/stkpushquery/v1/query')) return query(queries.push(asked));
    return {
      status: 404,
      body: JSON.stringify({ requestId: '1', errorCode: '404.001.01', errorMessage: 'Resource not found' }),
    };
  }, at);
  return { ...server, pushes, queries, tokens };
}

export function accepted(n: number): Reply {
  return {
    body: JSON.stringify({
      MerchantRequestID: `29115-${n}`,
      CheckoutRequestID: `ws_CO_${n}`,
      ResponseCode: '0',
      ResponseDescription: 'Success. Request accepted for processing',
      CustomerMessage: 'Success. Request accepted for processing',
    }),
  };
}

export function refused(status: number, errorCode: string, errorMessage: string, headers = {}): Reply {
  return { status, headers, body: JSON.stringify({ requestId: '16813-15-1', errorCode, errorMessage }) };
}

export const stillOpen = refused(500, '500.001.1001', 'The transaction is being processed');

export function ended(ResultCode: string, ResultDesc: string): Reply {
  return {
    body: JSON.stringify({
      ResponseCode: '0',
      ResponseDescription: 'The service request has been accepted successsfully',
      MerchantRequestID: '29115-1',
      CheckoutRequestID: 'ws_CO_1',
      ResultCode,
      ResultDesc,
    }),
  };
}

/** The callback of a prompt: paid, or ended with another code. */
export function callback(requestId: string, code = 0, more: object = {}): Buffer {
  const Item = [
    { Name: 'Amount', Value: 100 },
    { Name: 'MpesaReceiptNumber', Value: 'NLJ7RT61SV' },
    { Name: 'Balance' },
    { Name: 'TransactionDate', Value: 20191219102115 },
    { Name: 'PhoneNumber', Value: 254708374149 },
  ];
  const stkCallback = {
    MerchantRequestID: requestId.replace('ws_CO_', '29115-'),
    CheckoutRequestID: requestId,
    ResultCode: code,
    ResultDesc: code === 0 ? 'The service request is processed successfully.' : 'Request cancelled by user',
    ...(code === 0 && { CallbackMetadata: { Item } }),
    ...more,
  };
  return Buffer.from(JSON.stringify({ Body: { stkCallback } }));
}

function tokenText(n: number): string {
  return JSON.stringify({ access_token: `token-${n}`, expires_in: '3599' });
}

function bearer({ headers }: Received): string {
  return /^Bearer (.+)$/.exec(String(headers.authorization))?.[1] ?? '';
}
