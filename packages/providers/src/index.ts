/** The external services: what implements the ports of `@jobline/handlers`. */
export { summarizers } from './ai/index.js';
export { artifactStores } from './artifacts/index.js';
export { chatProviders } from './chat/index.js';
export type { ProviderContext, ProviderKind } from './define-provider.js';
export { createTxtLookup, type TxtLookup } from './dns/txt-records.js';
export { emailProviders } from './email/index.js';
export { addressSetting, splitAddress } from './email/named-address.js';
export { type CallbackSettings, callbackSchema, isGenuine, mayBeGenuine, messageFeedback } from './feedback/index.js';
export { allowHostIssue } from './http/allow-list.js';
export { createOutbound, type OutboundOptions } from './http/outbound.js';
export { createImages, type ImagesOptions } from './image/images.js';
export { createInstrumentCall, type InstrumentCall, instrumentOutbound } from './instrument-calls.js';
export { paymentReports, paymentsProviders, type ReadPaymentReports } from './payments/index.js';
export { type ChosenChromium, chromiumProblem } from './pdf/chromium-problem.js';
export { createPdfs, type PdfsOptions } from './pdf/pdfs.js';
export { smsProviders } from './sms/index.js';
export { teamChatProviders } from './team-chat/index.js';
export { createLiquid, type LiquidOptions } from './template/liquid-pool.js';
