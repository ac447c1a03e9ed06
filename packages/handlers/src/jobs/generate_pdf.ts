import type { JsonObject } from '@jobline/contracts';
import Joi from 'joi';
import { defineHandler } from '../define-handler.js';
import { PermanentError } from '../errors.js';
import { loadDocumentImages } from '../http/document-images.js';
import { builtInTemplates } from '../pdf-templates/index.js';

interface Payload {
  template: string;
  data?: JsonObject;
}

const MAX_TEMPLATE_LENGTH = 1024 * 1024;

/** Fills a template and stores it as a PDF with the job. A repeated run only replaces that file. */
export const generatePdf = defineHandler<Payload>({
  type: 'generate_pdf',
  summary: 'Make a PDF of a template and its data',
  queue: 'browser',
  // Rendering has its own limit with a more specific message. A document may be started twice.
  timeoutMs: 90_000,
  payload: Joi.object<Payload, true>({
    template: Joi.string().max(MAX_TEMPLATE_LENGTH).required(),
    data: Joi.object(),
  }),
  async run({ template, data = {} }, { ports, orgId, signal, log, saveArtifact }) {
    const isInline = template.includes('<');
    const builtIn = isInline ? undefined : builtInTemplates.get(template);
    const source = isInline ? template : (builtIn ?? (await ports.templates.find(orgId, template)));
    if (source === null) {
      throw new PermanentError(`there is no template named ${JSON.stringify(template.slice(0, 200))}`, {
        code: 'invalid_payload',
      });
    }
    const { text: html, missing } = await ports.templates.fill(orgId, source, data, 'document', signal);
    if (builtIn === undefined && missing.length > 0)
      log('warn', `these variables are missing in data and left empty: ${missing.join(', ')}`);
    const { bytes, pages } = await ports.pdfs.render({
      html,
      loadImages: (urls) => loadDocumentImages(ports.outbound, urls, { orgId, signal, log }),
      signal,
    });
    log(
      'info',
      `rendered ${isInline ? 'the HTML' : `the template ${template}`}: ${describe(pages)}${bytes.length} bytes`,
    );

    const artifact = builtIn === undefined ? 'document.pdf' : `${template}.pdf`;
    await saveArtifact({ name: artifact, contentType: 'application/pdf', bytes });
    return { artifact, size: bytes.length, ...(pages !== null && { pages }) };
  },
});

function describe(pages: number | null): string {
  return pages === null ? '' : `${pages} ${pages === 1 ? 'page' : 'pages'}, `;
}
