import { Dialog } from '../components/Dialog';
import { digest } from '../messages/digest';
import { useMessages } from '../messages/language';
import { shell } from '../messages/shell';
import { PAGES } from '../pages';

export function KeyHelp({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = useMessages(shell);
  const { keys } = useMessages(digest);
  return (
    <Dialog title={t.help.title} open={open} onClose={onClose}>
      <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
        <Keys title={t.help.digest} rows={Object.entries(keys)} />
        <Keys
          title={t.help.everywhere}
          rows={[
            ...PAGES.map((page): [string, string] => [`g ${page.letter}`, t[page.name]]),
            ['/', t.help.search],
            ['j k', t.help.rows],
            ['?', t.help.thisHelp],
            ['Esc', t.help.close],
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
