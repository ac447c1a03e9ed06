/** The outside world: what implements the ports of `@jobline/handlers`. */
export { AI_PROVIDERS, type AiProvider, createSummarizer } from './ai/index.js';
export { allowHostFault } from './http/allow-list.js';
export { createOutbound, type OutboundOptions } from './http/outbound.js';
export { createImages } from './image/images.js';
export { createPdfs, type PdfsOptions } from './pdf/pdfs.js';
export { createLiquid } from './template/liquid.js';
