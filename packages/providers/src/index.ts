/** The external services: what implements the ports of `@jobline/handlers`. */
export type { ProviderContext, ProviderKind } from './define-provider.js';
export { createTxtLookup, type TxtLookup } from './dns/txt-records.js';
export { addressSetting, splitAddress } from './email/named-address.js';
export {
  type CallbackSettings,
  callbackSchema,
  challenges,
  isGenuine,
  mayBeGenuine,
  messageFeedback,
  paymentReports,
  type ReadPaymentReports,
} from './feedback/index.js';
export { createImages, type ImagesOptions } from './image/images.js';
export { createInstrumentCall, type InstrumentCall, instrumentOutbound } from './instrument-calls.js';
export { createOutbound, type OutboundOptions } from './outbound/outbound.js';
export { allowHostIssue, createAllowList, isAllowed } from './outbound/outbound-guard.js';
export { type ChosenChromium, chromiumProblem } from './pdf/chromium.js';
export { createPdfs, type PdfsOptions } from './pdf/pdfs.js';
export {
  artifactStores,
  chatProviders,
  emailProviders,
  paymentsProviders,
  smsProviders,
  summarizers,
  teamChatProviders,
} from './providers.js';
export { createSandboxReports, type SandboxReports } from './sandbox-outcomes.js';
export { createLiquid, type LiquidOptions } from './template/liquid-pool.js';
