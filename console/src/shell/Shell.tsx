import { Suspense, useEffect, useState } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { useClient } from '../api/context';
import { useEvents } from '../api/events';
import { Button } from '../components/Button';
import { ErrorBoundary } from '../components/ErrorBoundary';
import { EmptyState, Skeleton } from '../components/States';
import { useHotkeys } from '../hooks/hotkeys';
import { type Language, useMessages } from '../messages/language';
import { shell } from '../messages/shell';
import { addressOf, PAGES, type PageEntry } from '../pages';
import { useMay } from '../session';
import { KeyHelp } from './KeyHelp';
import { PhoneBar, SideBar } from './Navigation';

export interface ShellProps {
  projects: string[];
  onProject: (project: string) => void;
  onLanguage: (language: Language) => void;
  onSignIn: () => void;
}

/** The frame around every page: navigation, keys that work everywhere, and the live connection to the server. */
export function Shell(props: ShellProps) {
  const t = useMessages(shell);
  const [address, go] = useLocation();
  const [helping, setHelping] = useState(false);
  const connection = useEvents();
  const [segment = ''] = address.slice(1).split('/');
  useArrival(segment);
  useHotkeys({
    ...Object.fromEntries(PAGES.map((page) => [`g ${page.letter}`, () => go(addressOf(page))])),
    '/': () => focusSearch() || go('/ask'),
    '?': () => setHelping(true),
  });
  const bar = { ...props, connection, onHelp: () => setHelping(true) };
  return (
    <div className="lg:pl-60">
      <a
        href="#content"
        className="sr-only z-50 rounded-lg bg-surface p-3 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        {t.skip}
      </a>
      <SideBar {...bar} />
      <PhoneBar {...bar} />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto max-w-5xl px-4 pt-5 pb-28 outline-none sm:px-6 lg:px-10 lg:pt-10 lg:pb-16"
      >
        <ErrorBoundary key={segment}>
          <Suspense fallback={<Skeleton />}>
            <Switch>
              {PAGES.map((page) => (
                <Route key={page.name} path={page.path}>
                  <Allowed page={page} onSignIn={props.onSignIn} />
                </Route>
              ))}
              <Route>
                <EmptyState title={t.notFound}>
                  <Link href="/" className="link-underlined">
                    {t.home}
                  </Link>
                </EmptyState>
              </Route>
            </Switch>
          </Suspense>
        </ErrorBoundary>
      </main>
      <KeyHelp open={helping} onClose={() => setHelping(false)} />
    </div>
  );
}

/** A page that one comes to begins at its top and names the tab. */
function useArrival(segment: string): void {
  const t = useMessages(shell);
  const here = PAGES.find((page) => addressOf(page) === `/${segment}`);
  useEffect(() => {
    document.title = here ? `${t[here.name]} · memsieve` : 'memsieve';
  }, [here, t]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: for every page that one comes to.
  useEffect(() => {
    window.scrollTo(0, 0);
  }, [segment]);
}

function Allowed({ page, onSignIn }: { page: PageEntry; onSignIn: () => void }) {
  const t = useMessages(shell);
  const { project } = useClient();
  const may = useMay(page.right);
  if (may && project === null && page.name !== 'keys') {
    return <EmptyState icon="quarantine" title={t.noProject} help={t.noProjectHelp} />;
  }
  if (may) return <page.view />;
  if (page.name === 'digest') return <Redirect to="/ask" replace />;
  return (
    <EmptyState icon="keys" title={t.reviewersOnly} help={t.reviewersOnlyHelp}>
      <Button look="primary" onClick={onSignIn}>
        {t.signIn}
      </Button>
    </EmptyState>
  );
}

/** Put the cursor into the page's search field, if it has one. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLElement>('[data-search]');
  field?.focus();
  return field !== null;
}
