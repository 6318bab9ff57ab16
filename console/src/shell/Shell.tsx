import { Suspense, useEffect, useState } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { useClient } from '../api/context';
import { useEvents } from '../api/events';
import { addressOf, PAGES, type PageEntry } from '../pages';
import { Button } from '../parts/Button';
import { Fence } from '../parts/Fence';
import { useHotkeys } from '../parts/hotkeys';
import { EmptyState, Skeleton } from '../parts/States';
import { useMay } from '../session';
import { type Language, useWords } from '../words/language';
import { shell } from '../words/shell';
import { KeyHelp } from './KeyHelp';
import { PhoneBar, SideBar } from './Navigation';

export interface ShellProps {
  projects: string[];
  onProject: (project: string) => void;
  onLanguage: (language: Language) => void;
  onSignIn: () => void;
}

/** The frame around every page: navigation, keys that work everywhere, and the live line to the server. */
export function Shell(props: ShellProps) {
  const say = useWords(shell);
  const [address, go] = useLocation();
  const [helping, setHelping] = useState(false);
  const line = useEvents();
  const [segment = ''] = address.slice(1).split('/');
  useArrival(segment);
  useHotkeys({
    ...Object.fromEntries(PAGES.map((page) => [`g ${page.letter}`, () => go(addressOf(page))])),
    '/': () => focusSearch() || go('/ask'),
    '?': () => setHelping(true),
  });
  const bar = { ...props, line, onHelp: () => setHelping(true) };
  return (
    <div className="lg:pl-60">
      <a
        href="#content"
        className="sr-only z-50 rounded-lg bg-surface p-3 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        {say.skip}
      </a>
      <SideBar {...bar} />
      <PhoneBar {...bar} />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto max-w-5xl px-4 pt-5 pb-28 outline-none sm:px-6 lg:px-10 lg:pt-10 lg:pb-16"
      >
        <Fence key={segment}>
          <Suspense fallback={<Skeleton />}>
            <Switch>
              {PAGES.map((page) => (
                <Route key={page.name} path={page.path}>
                  <Allowed page={page} onSignIn={props.onSignIn} />
                </Route>
              ))}
              <Route>
                <EmptyState title={say.notFound}>
                  <Link href="/" className="text-accent underline underline-offset-4">
                    {say.home}
                  </Link>
                </EmptyState>
              </Route>
            </Switch>
          </Suspense>
        </Fence>
      </main>
      <KeyHelp open={helping} onClose={() => setHelping(false)} />
    </div>
  );
}

/** A page that one comes to begins at its top and names the tab. */
function useArrival(segment: string): void {
  const say = useWords(shell);
  const here = PAGES.find((page) => addressOf(page) === `/${segment}`);
  useEffect(() => {
    document.title = here ? `${say[here.name]} · memsieve` : 'memsieve';
  }, [here, say]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: for every page that one comes to.
  useEffect(() => {
    window.scrollTo(0, 0);
  }, [segment]);
}

function Allowed({ page, onSignIn }: { page: PageEntry; onSignIn: () => void }) {
  const say = useWords(shell);
  const { project } = useClient();
  const may = useMay(page.right);
  if (may && project === null && page.name !== 'keys') {
    return <EmptyState icon="quarantine" title={say.noProject} help={say.noProjectHelp} />;
  }
  if (may) return <page.view />;
  if (page.name === 'digest') return <Redirect to="/ask" replace />;
  return (
    <EmptyState icon="keys" title={say.reviewersOnly} help={say.reviewersOnlyHelp}>
      <Button look="primary" onClick={onSignIn}>
        {say.signIn}
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
