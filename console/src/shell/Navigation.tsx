import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useLocation, useRoute } from 'wouter';
import { useClient } from '../api/context';
import type { Connection } from '../api/events';
import { queryKeys } from '../api/queryKeys';
import type { Stats } from '../api/types';
import { Dialog } from '../components/Dialog';
import { Icon } from '../components/Icon';
import { Logo } from '../components/Logo';
import { useFormat, useMessages } from '../messages/language';
import { shell } from '../messages/shell';
import { addressOf, PAGES, type PageEntry, type PageName } from '../pages';
import { useSession } from '../session';
import { Controls } from './Controls';
import type { ShellProps } from './Shell';

export interface BarProps extends ShellProps {
  connection: Connection;
  onHelp: () => void;
}

const GROUPS = ['review', 'tiers', 'operate'] as const;
const ON_PHONE: PageName[] = ['digest', 'ask', 'quarantine', 'longterm'];

/** How much there is in each tier, and what waits; live. */
export function useStats() {
  const client = useClient();
  return useQuery({
    queryKey: queryKeys.stats(client.project),
    queryFn: ({ signal }) => client.get<Stats>('/stats', {}, signal),
    enabled: client.project !== null,
  });
}

function usePages(): PageEntry[] {
  const { rights } = useSession();
  return PAGES.filter((page) => rights.includes(page.right));
}

export function SideBar(props: BarProps) {
  const t = useMessages(shell);
  const pages = usePages();
  return (
    <aside className="fixed inset-y-0 left-0 hidden w-60 flex-col border-r border-line bg-sunken/60 px-3 py-5 lg:flex">
      <Link href="/" className="mb-6 flex items-center gap-2.5 rounded-lg px-2.5 py-1">
        <Logo />
        <span className="text-[17px] font-semibold tracking-tight">memsieve</span>
        <ConnectionDot connection={props.connection} />
      </Link>
      <nav aria-label={t.pages} className="flex-1 space-y-5 overflow-y-auto">
        {GROUPS.map((group) => (
          <Group key={group} title={t[group]} pages={pages.filter((page) => page.group === group)} />
        ))}
      </nav>
      <Controls {...props} />
    </aside>
  );
}

function Group({ title, pages }: { title: string; pages: PageEntry[] }) {
  if (pages.length === 0) return null;
  return (
    <div>
      <p className="mb-1 px-2.5 text-xs text-faint">{title}</p>
      <ul className="space-y-0.5">
        {pages.map((page) => (
          <li key={page.name}>
            <Entry page={page} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Entry({ page }: { page: PageEntry }) {
  const t = useMessages(shell);
  const [here] = useRoute(page.path);
  const count = useCount(page.name);
  const look = here
    ? 'bg-surface text-ink font-medium shadow-[0_0_0_1px_var(--line)]'
    : 'text-muted hover:bg-surface/70 hover:text-ink';
  return (
    <Link
      href={addressOf(page)}
      aria-current={here ? 'page' : undefined}
      aria-keyshortcuts={`g ${page.letter}`}
      className={`flex min-h-9 items-center gap-2.5 rounded-lg px-2.5 py-1.5 transition-colors ${look}`}
    >
      <Icon name={page.name} className={`size-[18px] ${here ? 'text-accent' : ''}`} />
      <span className="flex-1">{t[page.name]}</span>
      {count !== null && <Count value={count} strong={page.name === 'digest' && count > 0} />}
    </Link>
  );
}

function useCount(name: PageName): number | null {
  const { data } = useStats();
  if (!data) return null;
  const counts: Partial<Record<PageName, number | null>> = {
    digest: data.insights_waiting,
    quarantine: data.recorded,
    working: data.working,
    longterm: data.memories,
  };
  return counts[name] ?? null;
}

function Count({ value, strong }: { value: number; strong: boolean }) {
  const { number } = useFormat();
  const look = strong ? 'rounded-full bg-accent px-1.5 font-medium text-on-accent' : 'text-faint';
  return <span className={`figures min-w-5 text-center text-xs leading-5 ${look}`}>{number(value)}</span>;
}

/** Whether what is shown is live; silent as long as it is. */
function ConnectionDot({ connection }: { connection: Connection }) {
  const t = useMessages(shell);
  const colour = { live: 'bg-verified', connecting: 'bg-strong', broken: 'bg-danger' }[connection];
  return (
    <span role="status" title={t[connection]} className="ml-auto flex size-4 items-center justify-center">
      <span className={`size-1.5 rounded-full ${colour}`} />
      <span className="sr-only">{t[connection]}</span>
    </span>
  );
}

export function PhoneBar(props: BarProps) {
  const t = useMessages(shell);
  const [open, setOpen] = useState(false);
  const [address] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes it.
  useEffect(() => setOpen(false), [address]);
  const pages = usePages();
  const tabs = pages.filter((page) => ON_PHONE.includes(page.name));
  return (
    <>
      <header className="flex items-center gap-2 px-4 pt-4 sm:px-6 lg:hidden">
        <Link href="/" className="flex items-center gap-2">
          <Logo />
          <span className="font-semibold tracking-tight">memsieve</span>
        </Link>
        <ConnectionDot connection={props.connection} />
      </header>
      <nav
        aria-label={t.pages}
        className="fixed inset-x-0 bottom-0 z-30 flex border-t border-line bg-surface/95 px-1 pb-[env(safe-area-inset-bottom)] backdrop-blur lg:hidden"
      >
        {tabs.map((page) => (
          <Tab key={page.name} page={page} />
        ))}
        <button type="button" onClick={() => setOpen(true)} className={`${TAB} text-muted`}>
          <Icon name="more" className="size-5" />
          {t.more}
        </button>
      </nav>
      <Dialog sheet title={t.more} open={open} onClose={() => setOpen(false)}>
        <ul className="mb-5 space-y-0.5">
          {pages
            .filter((page) => !tabs.includes(page))
            .map((page) => (
              <li key={page.name}>
                <Entry page={page} />
              </li>
            ))}
        </ul>
        <Controls {...props} />
      </Dialog>
    </>
  );
}

const TAB = 'flex min-h-14 flex-1 flex-col items-center justify-center gap-0.5 rounded-lg text-[11px]';

function Tab({ page }: { page: PageEntry }) {
  const t = useMessages(shell);
  const [here] = useRoute(page.path);
  const { data } = useStats();
  const waits = page.name === 'digest' && (data?.insights_waiting ?? 0) > 0;
  return (
    <Link
      href={addressOf(page)}
      aria-current={here ? 'page' : undefined}
      className={`${TAB} ${here ? 'font-medium text-accent' : 'text-muted'}`}
    >
      <span className="relative">
        <Icon name={page.name} className="size-5" />
        {waits && <span className="absolute -top-0.5 -right-1 size-2 rounded-full bg-accent ring-2 ring-surface" />}
      </span>
      {t[page.name]}
    </Link>
  );
}
