const PATHS = {
  digest: 'M5 4.5h11a3 3 0 0 1 3 3v12H8a3 3 0 0 1-3-3zM5 16.5a3 3 0 0 1 3-3h11M9 8.5h6',
  ask: 'M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM15.3 15.3 20 20',
  quarantine: 'M4 6h16M4 6v12.5h16V6M9 10.5h6M12 6V3.5',
  working: 'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM12 8v4.2l2.8 1.8',
  longterm: 'M12 3.5 4.5 6.8V12c0 4.2 3 7 7.5 8.5 4.5-1.5 7.5-4.3 7.5-8.5V6.8zM8.8 12l2.3 2.3 4.2-4.5',
  flow: 'M4 19.5h16M6.5 16V11M12 16V5.5M17.5 16V8.5',
  audit: 'M6 3.5h9l3.5 3.5v13.5H6zM9 11h6M9 14.5h6M14.5 3.5V7.5H18.5',
  keys: 'M15 4.5a4.5 4.5 0 1 1-3.6 7.2L5.5 17.5v2.5h3v-2h2v-2h1.5l1.2-1.3',
  more: 'M5.5 12h.01M12 12h.01M18.5 12h.01',
  close: 'M6 6l12 12M18 6 6 18',
  down: 'M6.5 9.5 12 15l5.5-5.5',
  right: 'M9.5 6.5 15 12l-5.5 5.5',
  check: 'M5 12.5l4.5 4.5L19 7',
  copy: 'M9 9h10.5v10.5H9zM5.5 15H4.5V4.5H15v1',
  edit: 'M4.5 19.5l1-4L16 5l3 3L8.5 18.5zM14 7l3 3',
  later: 'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM12 8v4.5h3.5',
  undo: 'M8.5 5 4.5 9l4 4M4.5 9h9.5a5 5 0 0 1 0 10H10',
  sun: 'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  moon: 'M19.5 14A8 8 0 0 1 10 4.5a8 8 0 1 0 9.5 9.5z',
  screen: 'M3.5 5h17v11h-17zM9 20h6M12 16v4',
  out: 'M14 4.5H5.5v15H14M10 12h10M16.5 8.5 20 12l-3.5 3.5',
  keyboard: 'M3 6.5h18v11H3zM7 10.5h.01M11 10.5h.01M15 10.5h.01M8.5 14h7',
  refresh: 'M19.5 12a7.5 7.5 0 1 1-2.2-5.3M19.5 4v4h-4',
  alert: 'M12 4 3 19.5h18zM12 10v4.5M12 17h.01',
  trash: 'M5 7h14M10 7V4.5h4V7M7 7l.800 12.5h8.4L17 7',
  filter: 'M4 6h16M7 12h10M10 18h4',
  external: 'M13.5 5H19v5.5M19 5l-8 8M10 6H5v13h13v-5',
} as const;

export type IconName = keyof typeof PATHS;

/** A drawing beside words; it says nothing by itself. */
export function Icon({ name, className = 'size-[18px]' }: { name: IconName; className?: string }) {
  return (
    <svg viewBox="0 0 24 24" className={`shrink-0 ${className}`} aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
