import { type FormEvent, StrictMode, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
// In an app of your own: from 'memsieve-console', and 'memsieve-console/style.css' once.
import {
  Client,
  KnowledgeDigest,
  type Language,
  MemsieveProvider,
  TemporaryContextBadge,
  useDigest,
  VerifiedBadge,
} from '../src/package';
import './example.css';

interface Access {
  key: string;
  project: string;
}

/** An intranet page with looks of its own, and memsieve's digest in the middle of it. */
function Intranet() {
  const [access, setAccess] = useState<Access>();
  const [language, setLanguage] = useState<Language>('en');
  const client = useMemo(() => access && new Client(access), [access]);
  return (
    <>
      <header>
        <strong>Northwind Operations</strong>
        <button type="button" onClick={() => setLanguage(language === 'en' ? 'zh' : 'en')}>
          {language === 'en' ? '中文' : 'English'}
        </button>
      </header>
      <main>
        <h1>Weekly meeting</h1>
        {client ? (
          <MemsieveProvider client={client} language={language} theme="light">
            <Waiting />
            <KnowledgeDigest level={2} />
          </MemsieveProvider>
        ) : (
          <Enter onEnter={setAccess} />
        )}
      </main>
    </>
  );
}

/** What the hook knows, told in the app's own way. */
function Waiting() {
  const { data } = useDigest();
  return (
    <p className="waiting">
      <b>{data?.digest?.waiting ?? '…'}</b> insights wait for the team. Only what we approve becomes <VerifiedBadge />{' '}
      and until then it is <TemporaryContextBadge />.
    </p>
  );
}

function Enter({ onEnter }: { onEnter: (access: Access) => void }) {
  const enter = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    onEnter({ key: String(form.get('key')), project: String(form.get('project')) });
  };
  return (
    <form onSubmit={enter}>
      <label>
        Reviewer’s key <input name="key" type="password" required autoComplete="off" />
      </label>
      <label>
        Project <input name="project" required defaultValue="demo" />
      </label>
      <button type="submit">Show the digest</button>
    </form>
  );
}

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Intranet />
    </StrictMode>,
  );
}
