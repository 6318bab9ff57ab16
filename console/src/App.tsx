import { useEffect, useMemo, useState } from 'react';
import { Client } from './api/client';
import { ClientContext } from './api/context';
import type { Session } from './api/types';
import { ErrorState } from './components/States';
import { ToastProvider } from './components/Toast';
import { type Language, LanguageContext, preferred } from './messages/language';
import { SignIn } from './pages/SignIn';
import { useRemembered } from './preferences';
import { SessionContext, useProjects, useWhoami } from './session';
import { Shell } from './shell/Shell';

/** The console: a language, the signed-in person, a project, and then the pages. */
export function App() {
  const [language, setLanguage] = useRemembered<Language>('language', preferred());
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-Hans' : 'en';
  }, [language]);
  return (
    <LanguageContext value={language}>
      <ToastProvider>
        <SignedIn onLanguage={setLanguage} />
      </ToastProvider>
    </LanguageContext>
  );
}

function SignedIn({ onLanguage }: { onLanguage: (language: Language) => void }) {
  const { data: who, error, refetch } = useWhoami();
  const [asGuest, setAsGuest] = useState(false);
  if (error) return <Failed error={error} retry={() => void refetch()} />;
  if (!who) return null;
  if (!who.session || (who.session.keyless && !asGuest)) {
    const guest = who.session ? { onGuest: () => setAsGuest(true) } : {};
    return <SignIn onLanguage={onLanguage} refused={who.refused} {...guest} />;
  }
  return (
    <SessionContext value={who.session}>
      <InProject session={who.session} onLanguage={onLanguage} onSignIn={() => setAsGuest(false)} />
    </SessionContext>
  );
}

function Failed(props: { error: Error; retry: () => void }) {
  return (
    <main className="p-6 pt-24">
      <ErrorState {...props} />
    </main>
  );
}

interface InProjectProps {
  session: Session;
  onLanguage: (language: Language) => void;
  onSignIn: () => void;
}

function InProject({ session, onLanguage, onSignIn }: InProjectProps) {
  const { data: projects, error, refetch } = useProjects();
  const [chosen, setChosen] = useRemembered<string>('project', '');
  const listed = session.project_id ? [session.project_id] : (projects ?? []);
  const project = listed.includes(chosen) ? chosen : (listed[0] ?? null);
  const client = useMemo(() => new Client({ project }), [project]);
  if (error && !session.project_id) return <Failed error={error} retry={() => void refetch()} />;
  if (!projects && !session.project_id) return null;
  return (
    <ClientContext value={client}>
      <Shell key={project ?? ''} projects={listed} onProject={setChosen} onLanguage={onLanguage} onSignIn={onSignIn} />
    </ClientContext>
  );
}
