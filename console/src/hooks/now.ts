import { useEffect, useState } from 'react';

/** The present moment, anew every so often: time left runs down by itself. */
export function useNow(every = 20_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}
