/** Where the browser for PDFs is, for whoever sees to it that there is one. Loads no vendor library. */
export { type Chromium, findChromium, findReadyChromium } from './pdf/find-chromium.js';
export { NoChromium } from './pdf/no-chromium.js';
