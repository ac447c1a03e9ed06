/** Finds the browser for PDFs, for installers and start checks. Loads no vendor library. */
export { type Chromium, findChromium, findReadyChromium } from './pdf/find-chromium.js';
export { NoChromium } from './pdf/no-chromium.js';
