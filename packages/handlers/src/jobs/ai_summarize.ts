import Joi from 'joi';
import { defineHandler } from '../define-handler.js';
import { nonBlankText } from '../messages.js';
import type { SummaryLength } from '../ports/index.js';
import { resultFields } from '../result-fields.js';

interface Payload {
  text: string;
  length?: SummaryLength;
}

/** Summarizes a text with the configured provider. */
export const aiSummarize = defineHandler<Payload>({
  type: 'ai_summarize',
  summary: 'Summarize a text in a few sentences',
  queue: 'cpu',
  payload: Joi.object<Payload, true>({
    text: nonBlankText().required(),
    length: Joi.alternatives(Joi.valid('short', 'medium', 'long'), Joi.number().integer().min(1)).messages({
      'alternatives.match': '{{#label}} must be short, medium, long or a positive whole number of sentences',
      'alternatives.types': '{{#label}} must be short, medium, long or a positive whole number of sentences',
    }),
  }),
  result: resultFields({ summary: Joi.string().allow(''), model: Joi.string() }),
  async run({ text, length = 'short' }, { ports, signal, log }) {
    const { summary, model } = await ports.summarizer.summarize({ text, length, signal });
    log('info', `${model}: ${text.length} characters → ${summary.length}`);
    return { summary, model };
  },
});
