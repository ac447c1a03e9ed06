import type { Handler } from '../define-handler.js';
import { aiSummarize } from './ai_summarize.js';
import { compressImage } from './compress_image.js';
import { generatePdf } from './generate_pdf.js';
import { webhook } from './webhook.js';

/** The built-in job types: one line each. */
export const builtIn: readonly Handler[] = [aiSummarize, compressImage, generatePdf, webhook];
