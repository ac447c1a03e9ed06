import {
  createDirectSends,
  createPaymentReports,
  createSystemMails,
  createTakeFeedback,
  type DirectTimes,
} from '@jobline/messaging';
import { createInstrumentCall, createTxtLookup, emailProviders, smsProviders } from '@jobline/providers';
import type { Logger, Metrics } from '@jobline/runtime';
import type { Config } from '../config.js';
import type { Engine } from './engine.js';

/** Limits that tests change. Default: those of production. */
export interface MessagingOverrides {
  /** The time limits of direct sends. */
  directTimes?: DirectTimes;
  /** The time limits of a DNS lookup. */
  dns?: { timeoutMs: number; tries: number };
}

/** Creates what the API needs to send messages and to receive the callbacks of their providers. */
export function wireMessaging(
  config: Config,
  deps: Pick<Engine, 'db' | 'amend'> & { log: Logger; metrics: Metrics },
  overrides: MessagingOverrides,
) {
  const { db, amend, log, metrics } = deps;
  const watched = { log, instrument: createInstrumentCall(metrics) };
  const email = emailProviders.open(config, watched);
  const sms = smsProviders.open(config, watched);
  return {
    directSends: createDirectSends({ db, email, sms }, overrides.directTimes),
    systemMails: createSystemMails({ email, from: config.EMAIL_SYSTEM_FROM ?? email.defaultFrom, log }),
    takeFeedback: createTakeFeedback({ db, log }),
    takePaymentReports: createPaymentReports({ db, amend, log }),
    lookUpTxt: createTxtLookup({ servers: config.DNS_SERVERS, ...overrides.dns }),
  };
}
