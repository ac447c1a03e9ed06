/** The Data of a preview: JSON as it is typed. */

export type ReadData = { data: Record<string, unknown>; fault?: never } | { fault: string; data?: never };

export function readData(text: string): ReadData {
  if (text.trim() === '') return { data: {} };
  try {
    const data: unknown = JSON.parse(text);
    return isObject(data) ? { data } : { fault: 'Data is an object: begin with { and end with }.' };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

/** Of the private use area, so it stands in no text. */
const CARET = '\ue000';

/** The data with an empty text at `path` (`order.id`, `items[0]`), and where its value is to be typed. */
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
