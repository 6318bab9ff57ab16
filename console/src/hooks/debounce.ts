import { useEffect, useRef, useState } from 'react';

const PAUSE = 250;

/** What is typed at once, and what comes of it when the typing pauses. */
export function useDebouncedText(value: string, onPause: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(value);
  const reported = useRef(value);
  const report = useRef(onPause);
  useEffect(() => {
    report.current = onPause;
  });
  useEffect(() => {
    // Changed from elsewhere, as by a link or a button that clears it.
    if (value !== reported.current) setText(value);
    reported.current = value;
  }, [value]);
  useEffect(() => {
    if (text.trim() === reported.current) return;
    const timer = setTimeout(() => {
      reported.current = text.trim();
      report.current(text.trim());
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return [text, setText];
}
