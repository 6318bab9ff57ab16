import { useEffect, useRef, useState } from 'react';

const PAUSE = 250;

/** What is typed at once, and what comes of it when the typing pauses. */
export function useTyped(value: string, onPause: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(value);
  const told = useRef(value);
  const tell = useRef(onPause);
  useEffect(() => {
    tell.current = onPause;
  });
  useEffect(() => {
    // Changed from elsewhere, as by a link or a button that clears it.
    if (value !== told.current) setText(value);
    told.current = value;
  }, [value]);
  useEffect(() => {
    if (text.trim() === told.current) return;
    const timer = setTimeout(() => {
      told.current = text.trim();
      tell.current(text.trim());
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return [text, setText];
}
