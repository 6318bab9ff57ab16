import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** How wide a box is, so that a chart is drawn in its own pixels and its letters keep their size. */
export function useWidth<T extends Element>(first = 640): [RefObject<T | null>, number] {
  const box = useRef<T>(null);
  const [width, setWidth] = useState(first);
  useLayoutEffect(() => {
    if (!box.current) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.round(entry.contentRect.width)));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return [box, width];
}
