import Joi, { type CustomHelpers, type ErrorReport } from 'joi';

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A setting such as `12h`: a number and a unit. Its value and its default are in milliseconds. */
export function durationSetting(): Joi.StringSchema {
  return Joi.string().custom(parseDuration);
}

function parseDuration(text: string, { message }: CustomHelpers): number | ErrorReport {
  const [, count, unit] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? [];
  const unitMs = Object.entries(UNITS_MS).find(([name]) => name === unit)?.[1];
  if (unitMs !== undefined) return Number(count) * unitMs;
  return message({ custom: '{{#label}} must be a number and a unit (s, m, h or d), such as 12h' });
}
