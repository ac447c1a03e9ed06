import { type Filled, isHtml, type Liquid, type ReadEmailTexts } from '@jobline/handlers/ports';
import { ForcedEnd } from '../compute/compute-child.js';
import { createComputePool } from '../compute/compute-pool.js';
import { cannotRender } from './cannot-render.js';

export interface LiquidOptions {
  /** The limit of processor time for one rendering, without parsing. */
  renderLimitMs: number;
  /** How many texts of one organization may wait. */
  waitingPerOrg?: number;
  /** How many texts may wait in total. */
  waitingInAll?: number;
  /** The total size of the waiting texts and their data. */
  waitingBytes?: number;
  /** How long an organization is paused after one of its texts was ended by force. */
  pauseMs?: number;
}

/**
 * Neither parsing nor a single filter has its own limit. A task that takes this much longer is ended with its process.
 */
const GRACE_MS = 1_000;
/**
 * Memory limits: small compared with the memory of an API container (512 MiB), and enough for the largest template and
 * data.
 */
const MEMORY = { heapMb: 128, dataMb: 320 };
const WAITING_PER_ORG = 20;
const WAITING_IN_ALL = 200;
/** The time for the text part of an email. Ordinary HTML takes milliseconds. */
const TEXT_PART_MS = 1_000;
/** A waiting request also holds its data in parsed form, which may need twenty times as much memory. */
const WAITING_BYTES = 8 * 1024 * 1024;
const PAUSE_MS = 5_000;

/**
 * Renders Liquid and reads the bodies of emails in a child process, so that no text can block or end this process. The process
 * starts with the first text, works on one text at a time and is replaced when a text has ended it.
 */
export function createLiquid({
  renderLimitMs,
  waitingPerOrg = WAITING_PER_ORG,
  waitingInAll = WAITING_IN_ALL,
  waitingBytes = WAITING_BYTES,
  pauseMs = PAUSE_MS,
}: LiquidOptions): Liquid & { readEmailTexts: ReadEmailTexts; close(): Promise<void> } {
  const pool = createComputePool({
    processes: 1,
    memory: MEMORY,
    queue: {
      perOwner: waitingPerOrg,
      perPausedOwner: Math.min(waitingPerOrg, WAITING_PER_ORG),
      total: waitingInAll,
      totalBytes: waitingBytes,
    },
    pauseMs,
  });
  const deadlineMs = renderLimitMs + GRACE_MS;
  return {
    fill(orgId, source, data, format, signal, document) {
      // Sent as text: its size is known, and parsed data needs many times as much memory.
      const dataJson = JSON.stringify(data);
      const options = { owner: orgId, sizeBytes: source.length + dataJson.length, deadlineMs, signal };
      return asRenderError<Filled>(pool.run('fill', { source, dataJson, format, renderLimitMs, document }, options));
    },
    variables: (orgId, source, signal) =>
      asRenderError(pool.run('variables', { source }, { owner: orgId, sizeBytes: source.length, deadlineMs, signal })),
    async readEmailTexts(orgId, { body, html = body, text = null }, signal) {
      const isPlain = html === undefined || (html === body && !isHtml(html));
      if (isPlain) return { html: null, text: html ?? text };
      if (text !== null) return { html, text };
      const options = { owner: orgId, sizeBytes: html.length, deadlineMs: TEXT_PART_MS, signal };
      try {
        return { html, text: await pool.run('textPart', { html }, options) };
      } catch (error) {
        if (error instanceof ForcedEnd) return { html, text: null };
        throw error;
      }
    },
    close: () => pool.close(),
  };
}

async function asRenderError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ForcedEnd ? cannotRender(error.message, error) : error;
  }
}
