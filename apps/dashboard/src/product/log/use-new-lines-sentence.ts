import { useEffect, useRef, useState } from 'react';
import { type LogLine, newLinesSentence } from './lines.js';

const EVERY_MS = 5_000;

/** What is said of lines that came in since it was last said: at most every 5 s. */
export function useNewLinesSentence(lines: readonly LogLine[]): string {
  const [sentence, setSentence] = useState('');
  const said = useRef({ count: lines.length, at: 0 });
  useEffect(() => {
    // Starting anew, as after a reconnect, is no news.
    if (lines.length < said.current.count) said.current.count = lines.length;
    if (lines.length === said.current.count) return;
    const say = () => {
      setSentence(newLinesSentence(lines.slice(said.current.count)));
      said.current = { count: lines.length, at: Date.now() };
    };
    const timer = setTimeout(say, Math.max(500, said.current.at + EVERY_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [lines]);
  return sentence;
}
