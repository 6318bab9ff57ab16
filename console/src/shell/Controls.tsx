import { useClient } from '../api/context';
import { Button } from '../components/Button';
import { Choice } from '../components/Choice';
import { Icon } from '../components/Icon';
import { type Language, useLanguage, useMessages } from '../messages/language';
import { shell } from '../messages/shell';
import { useSession, useSignIn } from '../session';
import { type Theme, useTheme } from '../theme';
import type { BarProps } from './Navigation';

const ICONS = { system: 'screen', light: 'sun', dark: 'moon' } as const;

/** Which project, which language, which theme, and who one is. */
export function Controls({ projects, onProject, onLanguage, onSignIn, onHelp }: BarProps) {
  const t = useMessages(shell);
  const { project } = useClient();
  return (
    <div className="space-y-3 border-t border-line pt-4">
      <label className="block">
        <span className="mb-1 block px-0.5 text-xs text-faint">{t.project}</span>
        <select
          value={project ?? ''}
          onChange={(event) => onProject(event.target.value)}
          className="w-full truncate rounded-lg border border-strong bg-surface px-2.5 py-1.5 text-ink"
        >
          {projects.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <div className="flex items-center justify-between gap-2">
        <LanguageChoice onLanguage={onLanguage} />
        <ThemeChoice />
      </div>
      <div className="flex items-center gap-1 pt-1">
        <Identity />
        <Button
          look="quiet"
          className="px-2 max-lg:hidden"
          aria-label={t.keysHelp}
          title={`${t.keysHelp} (?)`}
          onClick={onHelp}
        >
          <Icon name="keyboard" />
        </Button>
        <Leave onSignIn={onSignIn} />
      </div>
    </div>
  );
}

export function LanguageChoice({ onLanguage }: { onLanguage: (language: Language) => void }) {
  const t = useMessages(shell);
  return (
    <Choice
      label={t.language}
      value={useLanguage()}
      options={[
        { value: 'en', label: 'English', show: 'EN' },
        { value: 'zh', label: '中文', show: '中文' },
      ]}
      onChoose={onLanguage}
    />
  );
}

export function ThemeChoice() {
  const t = useMessages(shell);
  const [theme, setTheme] = useTheme();
  const options = (['system', 'light', 'dark'] satisfies Theme[]).map((value) => ({
    value,
    label: t[value],
    show: <Icon name={ICONS[value]} className="size-4" />,
  }));
  return <Choice label={t.theme} value={theme} options={options} onChoose={setTheme} />;
}

function Identity() {
  const t = useMessages(shell);
  const { name, role, keyless } = useSession();
  return (
    <div className="min-w-0 flex-1 px-0.5 leading-snug">
      <p className="truncate text-sm" title={name}>
        {keyless ? t.keyless : name}
      </p>
      <p className="text-xs text-faint">{t.roles[role]}</p>
    </div>
  );
}

function Leave({ onSignIn }: { onSignIn: () => void }) {
  const t = useMessages(shell);
  const { keyless } = useSession();
  const { signOut } = useSignIn();
  const label = keyless ? t.signIn : t.signOut;
  return (
    <Button
      look="quiet"
      className="px-2"
      aria-label={label}
      title={label}
      onClick={keyless ? onSignIn : () => void signOut()}
    >
      <Icon name={keyless ? 'keys' : 'out'} />
    </Button>
  );
}
