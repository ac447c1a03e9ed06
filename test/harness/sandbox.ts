/** Chromium's own sandbox does not run as root, and tests run as root in many containers. */
export const IS_SANDBOXED = process.getuid?.() !== 0;
export const CHROMIUM_SANDBOX = IS_SANDBOXED ? 'on' : 'off';
