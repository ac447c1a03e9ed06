import { isObject } from '../../format/index.js';

/** A character of the private use area, which does not occur in texts. */
const CARET = '\ue000';

/**
 * Adds an empty text at `path` (`order.id`, `items[0]`) to the data. Returns the JSON and the position for typing the
 * value.
 */
export function addKey(data: Record<string, unknown>, path: string): { text: string; caret: number } {
  const keys = path.split(/[.[\]"']+/).filter((key) => key !== '');
  const marked = JSON.stringify(withValue(data, keys), null, 2);
  return { text: marked.replace(CARET, ''), caret: marked.indexOf(CARET) };
}

function withValue(container: unknown, [key, ...rest]: string[]): unknown {
  if (key === undefined) return CARET;
  if (/^\d+$/.test(key) && !isObject(container)) {
    const list: unknown[] = Array.isArray(container) ? [...container] : [];
    list[Number(key)] = withValue(list[Number(key)], rest);
    return list;
  }
  const object = isObject(container) ? container : {};
  return { ...object, [key]: withValue(object[key], rest) };
}
