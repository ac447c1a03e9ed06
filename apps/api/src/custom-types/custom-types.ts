import type { ErrorDetail, JsonObject } from '@jobline/contracts';
import type { PublishedTypes } from '@jobline/engine';
import type { Catalogue } from '@jobline/handlers';
import type { CompileSchema } from './compiled-schemas.js';

/** The check of the payloads of custom types, whose handlers only the workers have. */
export interface CustomTypes {
  /** Whether a payload of the type may have issues. Most types need no check, and then no wait. */
  isChecked(type: string): boolean;
  /**
   * The issues of a payload according to the JSON Schemas that live workers have published. None if one of them accepts it.
   * Only an unknown type, and a payload with issues, may wait for a query.
   */
  issues(type: string, payload: JsonObject): Promise<ErrorDetail[]>;
}

export function createCustomTypes(deps: {
  catalogue: Catalogue;
  published: PublishedTypes;
  compile: CompileSchema;
}): CustomTypes {
  const { catalogue, published, compile } = deps;

  function issuesNow(type: string, payload: JsonObject): ErrorDetail[] {
    let latest: ErrorDetail[] = [];
    for (const schema of published.schemasOf(type)) {
      const found = compile(schema)?.(payload) ?? [];
      if (found.length === 0) return [];
      if (latest.length === 0) latest = found;
    }
    return latest;
  }

  function hashesOf(type: string): string {
    return published
      .schemasOf(type)
      .map(({ hash }) => hash)
      .join();
  }

  return {
    isChecked: (type) => !catalogue.has(type) && (published.mayLearn(type) || published.schemasOf(type).length > 0),
    async issues(type, payload) {
      if (catalogue.has(type)) return [];
      await published.learn(type);
      const issues = issuesNow(type, payload);
      if (issues.length === 0) return [];
      // A worker with another schema may have started a moment ago.
      const before = hashesOf(type);
      await published.renew();
      return hashesOf(type) === before ? issues : issuesNow(type, payload);
    },
  };
}
