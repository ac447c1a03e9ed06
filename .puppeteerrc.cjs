// The browser is the system's, or the optional package's: puppeteer's own would be downloaded from outside the registry.
module.exports = { skipDownload: true };
