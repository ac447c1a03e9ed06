import { NAME_PATTERN } from '@jobline/contracts';
import Joi, { type ObjectSchema, type SchemaMap } from 'joi';
import { requiredWithout } from './bounded-schema.js';
import { PermanentError } from './errors.js';
import { fileName } from './file-name.js';

/** A place from which a job takes bytes: a file of the organization, or an artifact of another job. */
export type Source = FileSource | ArtifactSource;

export interface FileSource {
  /** The id of the file. */
  file: string;
}

export interface ArtifactSource {
  /** The id of the job, which is done or is named in `after`. */
  job: string;
  /** Absent: the only artifact of the job. */
  artifact?: string;
}

/** What a source holds. */
export interface SourceBytes {
  name: string;
  contentType: string;
  bytes: Uint8Array;
}

/** A source in a payload, and its path there: `payload.source`. */
export interface NamedSource {
  path: string;
  source: Source;
}

const FILE_ID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a value of any payload is a source. */
export function isSource(value: unknown): value is Source {
  if (typeof value !== 'object' || value === null) return false;
  if ('file' in value) return typeof value.file === 'string' && FILE_ID_PATTERN.test(value.file);
  const isName = 'job' in value && typeof value.job === 'string' && NAME_PATTERN.test(value.job);
  return isName && (!('artifact' in value) || typeof value.artifact === 'string');
}

/** An object of a payload that is a source, and may have more fields. Other fields are an issue. */
export function sourceFields<S extends Source>(more: SchemaMap = {}): ObjectSchema<S> {
  return Joi.object({
    file: Joi.string()
      .pattern(FILE_ID_PATTERN)
      .messages({ 'string.pattern.base': '{{#label}} must be the id of a file' })
      .description('The id of a file of `POST /files`. Send this or `job`.'),
    job: requiredWithout('file', Joi.string().pattern(NAME_PATTERN))
      .messages({ 'string.pattern.base': '{{#label}} must be the id of a job' })
      .description('The id of a job that has made artifacts.'),
    artifact: fileName
      .when('job', { is: Joi.exist(), otherwise: Joi.forbidden() })
      .description('The name of the artifact. Absent: the only one of the job.'),
    ...more,
  }).unknown(false);
}

/** The source in a sentence. */
export function sourceText(source: Source): string {
  if ('file' in source) return `the file ${source.file}`;
  const { job, artifact } = source;
  return artifact === undefined ? `the only artifact of job "${job}"` : `the artifact "${artifact}" of job "${job}"`;
}

/** The error for a source that is larger than its handler reads. `what`: the source, by its path in the payload or in words. */
export function tooLargeSource(what: string, sizeBytes: number, maxBytes: number): PermanentError {
  return unreadableSource(what, `has ${sizeBytes} bytes; the limit is ${maxBytes}`);
}

/** The error for a source that cannot be read. */
export function unreadableSource(what: string, why: string): PermanentError {
  return new PermanentError(`${what} ${why}`, { code: 'invalid_payload' });
}
