import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

export interface VirtualListProps<T> {
  items: T[];
  /** About how high a row is, in pixels; each is measured when it comes into view. */
  height: number;
  keyOf: (item: T) => string;
  row: (item: T, index: number) => ReactNode;
  label: string;
  /** Called when the end comes near: read the next page. */
  onEnd?: () => void;
}

/** So many rows before its end, the next page is read. */
const NEAR = 60;

/** A list of any length that scrolls with the page; only what is in view is drawn. */
export function VirtualList<T>({ items, height, keyOf, row, label, onEnd }: VirtualListProps<T>) {
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    // What is above the list may grow: a filter that opens, a window that narrows.
    const measure = () => setTop(list.current?.offsetTop ?? 0);
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    measure();
    return () => observer.disconnect();
  }, []);
  // A new function would have every row measured anew.
  const getItemKey = useCallback((index: number) => keyOf(items[index] as T), [items, keyOf]);
  // The browser tells a row's height when it has laid it out; to ask before would have it do so for every row.
  const heights = useRef(new Map<string, number>());
  const virtual = useWindowVirtualizer<HTMLLIElement>({
    count: items.length,
    estimateSize: () => height,
    overscan: 8,
    scrollMargin: top,
    getItemKey,
    measureElement: (element, entry) => {
      const key = getItemKey(Number(element.dataset.index));
      const measured = entry?.borderBoxSize[0]?.blockSize;
      if (measured) heights.current.set(key, measured);
      return heights.current.get(key) ?? height;
    },
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (items.length > 0 && last >= items.length - NEAR) onEnd?.();
  }, [last, items.length, onEnd]);
  return (
    <ul ref={list} aria-label={label} className="relative" style={{ height: virtual.getTotalSize() }}>
      {shown.map((one) => (
        <li
          key={one.key}
          aria-setsize={items.length}
          aria-posinset={one.index + 1}
          data-index={one.index}
          ref={virtual.measureElement}
          className="absolute inset-x-0 top-0 contain-content"
          style={{ transform: `translateY(${one.start - top}px)` }}
        >
          {row(items[one.index] as T, one.index)}
        </li>
      ))}
    </ul>
  );
}
