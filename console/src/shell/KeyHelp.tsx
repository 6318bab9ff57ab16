import { PAGES } from '../pages';
import { Dialog } from '../parts/Dialog';
import { digest } from '../words/digest';
import { useWords } from '../words/language';
import { shell } from '../words/shell';

export function KeyHelp({ open, onClose }: { open: boolean; onClose: () => void }) {
  const say = useWords(shell);
  const { keys } = useWords(digest);
  return (
    <Dialog title={say.help.title} open={open} onClose={onClose}>
      <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
        <Keys title={say.help.digest} rows={Object.entries(keys)} />
        <Keys
          title={say.help.everywhere}
          rows={[
            ...PAGES.map((page): [string, string] => [`g ${page.letter}`, say[page.name]]),
            ['/', say.help.search],
            ['j k', say.help.rows],
            ['?', say.help.thisHelp],
            ['Esc', say.help.close],
          ]}
        />
      </div>
    </Dialog>
  );
}

function Keys({ title, rows }: { title: string; rows: [string, string][] }) {
  return (
    <section>
      <h3 className="mb-2 text-xs text-faint">{title}</h3>
      <dl className="space-y-1.5">
        {rows.map(([key, what]) => (
          <div key={key} className="flex items-baseline justify-between gap-4 text-sm">
            <dt className="order-2 flex gap-1">
              {key.split(' ').map((part) => (
                <kbd
                  key={part}
                  className="min-w-6 rounded-md border border-strong px-1.5 text-center font-sans text-xs leading-5 text-muted"
                >
                  {part}
                </kbd>
              ))}
            </dt>
            <dd className="text-pretty">{what}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
