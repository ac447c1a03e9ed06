import { useEffect, useRef, useState } from 'react';
import { type LogLine, newLinesSentence } from './lines.js';

const EVERY_MS = 5_000;

/** Announces the lines that arrived since the last announcement, at most every 5 s. */
export function useNewLinesSentence(lines: readonly LogLine[]): string {
  const [sentence, setSentence] = useState('');
  const announced = useRef({ count: lines.length, at: 0 });
  useEffect(() => {
    // Fewer lines mean that the log is read again, as after a reconnect. That is not announced.
    if (lines.length < announced.current.count) announced.current.count = lines.length;
    if (lines.length === announced.current.count) return;
    const update = () => {
      setSentence(newLinesSentence(lines.slice(announced.current.count)));
      announced.current = { count: lines.length, at: Date.now() };
    };
    const timer = setTimeout(update, Math.max(500, announced.current.at + EVERY_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [lines]);
  return sentence;
}
