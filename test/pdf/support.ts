import type { PdfRequest } from '@jobline/handlers';
import { createPdfs, type PdfsOptions } from '@jobline/providers';
import { expect } from 'vitest';
import { browserProcesses, profileDirs } from '../harness/browser-traces.js';
import { type Receiver, startReceiver } from '../harness/receiver.js';
import { IS_SANDBOXED } from '../harness/sandbox.js';
import { until } from '../harness/until.js';

const closing: (() => Promise<void>)[] = [];

/**
 * Call this after each test: it ends everything that the functions below have started, and fails if something remains.
 */
export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0)) await close();
  await until('every browser to be gone', () => browserProcesses().length === 0);
  expect(profileDirs()).toEqual([]);
}

export function open(options: PdfsOptions = {}) {
  const pdfs = createPdfs({
    executablePath: process.env.PUPPETEER_EXECUTABLE_PATH,
    isSandboxed: IS_SANDBOXED,
    ...options,
  });
  closing.push(pdfs.close);
  return pdfs;
}

export async function receiver(): Promise<Receiver> {
  const made = await startReceiver();
  closing.push(made.close);
  return made;
}

export function request(html: string, more: Partial<PdfRequest> = {}): PdfRequest {
  return { html, loadImages: async () => new Map(), signal: new AbortController().signal, ...more };
}
