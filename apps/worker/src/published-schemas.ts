import { type Catalogue, createCatalogue, type Handler, payloadJsonSchema } from '@jobline/handlers';
import type { Logger } from '@jobline/runtime';

const MAX_SCHEMA_BYTES = 64 * 1024;
/** Limit of all schemas of a worker together. */
const MAX_TOTAL_BYTES = 1024 * 1024;

/**
 * Job type → the JSON Schema of its payload as JSON text, for the custom types that have one. The API checks submissions
 * against it. A schema that cannot be converted or is too large is logged and left out.
 */
export function publishedSchemas(catalogue: Catalogue, log: Logger): ReadonlyMap<string, string> {
  const builtIn = createCatalogue();
  const schemas = new Map<string, string>();
  let totalBytes = 0;
  for (const [type, handler] of catalogue) {
    const text = builtIn.has(type) ? null : schemaText(handler, log);
    if (text === null) continue;
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_SCHEMA_BYTES || totalBytes + bytes > MAX_TOTAL_BYTES) {
      const limits = { maxBytes: MAX_SCHEMA_BYTES, maxTotalBytes: MAX_TOTAL_BYTES };
      log.warn('the schema of a job type is too large to be published: submissions are not checked against it', {
        type,
        bytes,
        ...limits,
      });
      continue;
    }
    totalBytes += bytes;
    schemas.set(type, text);
  }
  return schemas;
}

function schemaText(handler: Handler, log: Logger): string | null {
  try {
    const schema = payloadJsonSchema(handler);
    return schema && JSON.stringify(schema);
  } catch (error) {
    log.warn('the schema of a job type cannot be converted: submissions are not checked against it', {
      type: handler.type,
      error,
    });
    return null;
  }
}
