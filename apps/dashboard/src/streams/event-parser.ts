/** A server-sent event. */
export interface StreamEvent {
  /** Empty if the event has no id. */
  id: string;
  name: string;
  data: string;
}

/** Parses a stream's text in chunks and emits complete events, by the rules of the HTML standard. */
export function createEventParser(
  onEvent: (event: StreamEvent) => void,
  onId: (id: string) => void,
): (text: string) => void {
  let rest = '';
  let id = '';
  let name = '';
  let data: string[] = [];

  function takeLine(line: string): void {
    if (line === '') {
      finish();
      return;
    }
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') data.push(value);
    else if (field === 'event') name = value;
    else if (field === 'id') id = value;
  }

  function finish(): void {
    if (id !== '') onId(id);
    if (data.length > 0) onEvent({ id, name: name || 'message', data: data.join('\n') });
    name = '';
    data = [];
  }

  return (text) => {
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) takeLine(line);
  };
}
