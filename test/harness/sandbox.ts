/** Chromium refuses to run as root in its own sandbox, and tests run as root in many containers. */
export const IS_SANDBOXED = process.getuid?.() !== 0;
export const CHROMIUM_SANDBOX = IS_SANDBOXED ? 'on' : 'off';
