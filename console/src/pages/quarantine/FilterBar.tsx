import { useState } from 'react';
import type { Receipt } from '../../api/types';
import { Button } from '../../components/Button';
import { Choice } from '../../components/Choice';
import { SearchField, Select, TextField } from '../../components/Fields';
import { Icon } from '../../components/Icon';
import { useDebouncedText } from '../../hooks/debounce';
import { badges } from '../../messages/badges';
import { checks } from '../../messages/checks';
import { useMessages } from '../../messages/language';
import { quarantine } from '../../messages/quarantine';
import type { FilterState } from './filters';

/** Everything that one can look for; on a phone the finer filters open on demand. */
export function FilterBar({ state, entries }: { state: FilterState; entries: Receipt[] }) {
  const t = useMessages(quarantine);
  const { filters, active, set } = state;
  // A link may bring filters along: they are in sight then.
  const [isOpen, setIsOpen] = useState(active > (filters.decision ? 1 : 0));
  return (
    <search className="mb-4 block space-y-3">
      <div className="flex flex-wrap items-center gap-2">
        <SearchField label={t.search} value={filters.search} onSearch={(search) => set({ search })} />
        <Choice
          label={t.decision}
          value={filters.decision}
          options={[
            { value: '', label: t.all },
            { value: 'admitted', label: t.decisions.admitted },
            { value: 'refused', label: t.decisions.refused },
            { value: 'pending', label: t.decisions.pending },
          ]}
          onChoose={(decision) => set({ decision })}
        />
        <Button
          aria-expanded={isOpen}
          className={`ml-auto ${active > 0 ? 'border-accent text-accent' : ''}`}
          onClick={() => setIsOpen(!isOpen)}
        >
          <Icon name="filter" className="size-4" />
          <span className="sr-only sm:not-sr-only">{t.filters}</span>
          {active > 0 && <span className="figures">{active}</span>}
        </Button>
      </div>
      {isOpen && <Finer state={state} entries={entries} />}
    </search>
  );
}

function Finer({ state, entries }: { state: FilterState; entries: Receipt[] }) {
  const t = useMessages(quarantine);
  const { names } = useMessages(checks);
  const { reviews } = useMessages(badges);
  const { filters, active, set, clear } = state;
  return (
    <div className="grid grid-cols-2 gap-x-3 gap-y-3 rounded-xl bg-sunken p-4 sm:grid-cols-3 lg:grid-cols-5">
      <Select
        label={t.check}
        value={filters.check}
        options={[['', t.any], ...Object.entries(names)]}
        onChoose={(check) => set({ check })}
      />
      <Select
        label={t.review}
        value={filters.review}
        options={[['', t.any], ...Object.entries(reviews)]}
        onChoose={(review) => set({ review })}
      />
      <Select
        label={t.time}
        value={filters.time}
        options={['', '1', '7', '30', 'range'].map((one) => [one, t.times[one] ?? one])}
        onChoose={(time) => set({ time, ...(time !== 'range' && { from: '', to: '' }) })}
      />
      <Known
        label={t.agent}
        value={filters.agent}
        known={entries.map((one) => one.entry.agent_id ?? '')}
        onText={(agent) => set({ agent })}
      />
      <Known
        label={t.session}
        value={filters.session}
        known={entries.map((one) => one.entry.session_id)}
        onText={(session) => set({ session })}
      />
      {filters.time === 'range' && (
        <>
          <TextField label={t.from} type="date" value={filters.from} onText={(from) => set({ from })} />
          <TextField label={t.to} type="date" value={filters.to} onText={(to) => set({ to })} />
        </>
      )}
      {(active > 0 || filters.search) && (
        <Button look="quiet" className="col-span-full justify-self-start" onClick={clear}>
          <Icon name="close" className="size-4" /> {t.clear}
        </Button>
      )}
    </div>
  );
}

const MOST_KNOWN = 50;

function Known(props: { label: string; value: string; known: string[]; onText: (text: string) => void }) {
  const [text, setText] = useDebouncedText(props.value, props.onText);
  const known = [...new Set(props.known)].filter((one) => one !== '').slice(0, MOST_KNOWN);
  return <TextField label={props.label} value={text} known={known} maxLength={128} onText={setText} />;
}
