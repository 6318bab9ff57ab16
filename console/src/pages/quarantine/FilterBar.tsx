import { useState } from 'react';
import type { Receipt } from '../../api/types';
import { Button } from '../../parts/Button';
import { Choice } from '../../parts/Choice';
import { SearchField, Select, TextField } from '../../parts/Fields';
import { Icon } from '../../parts/Icon';
import { useTyped } from '../../parts/typed';
import { badges } from '../../words/badges';
import { checks } from '../../words/checks';
import { useWords } from '../../words/language';
import { quarantine } from '../../words/quarantine';
import type { FilterState } from './filters';

/** Everything that one can look for; on a phone the finer filters open on demand. */
export function FilterBar({ state, entries }: { state: FilterState; entries: Receipt[] }) {
  const say = useWords(quarantine);
  const { filters, active, set } = state;
  // A link may bring filters along: they are in sight then.
  const [isOpen, setIsOpen] = useState(active > (filters.decision ? 1 : 0));
  return (
    <search className="mb-4 block space-y-3">
      <div className="flex flex-wrap items-center gap-2">
        <SearchField label={say.search} value={filters.search} onSearch={(search) => set({ search })} />
        <Choice
          label={say.decision}
          value={filters.decision}
          options={[
            { value: '', label: say.all },
            { value: 'admitted', label: say.decisions.admitted },
            { value: 'refused', label: say.decisions.refused },
            { value: 'pending', label: say.decisions.pending },
          ]}
          onChoose={(decision) => set({ decision })}
        />
        <Button
          aria-expanded={isOpen}
          className={`ml-auto ${active > 0 ? 'border-accent text-accent' : ''}`}
          onClick={() => setIsOpen(!isOpen)}
        >
          <Icon name="filter" className="size-4" />
          <span className="sr-only sm:not-sr-only">{say.filters}</span>
          {active > 0 && <span className="figures">{active}</span>}
        </Button>
      </div>
      {isOpen && <Finer state={state} entries={entries} />}
    </search>
  );
}

function Finer({ state, entries }: { state: FilterState; entries: Receipt[] }) {
  const say = useWords(quarantine);
  const { names } = useWords(checks);
  const { reviews } = useWords(badges);
  const { filters, active, set, clear } = state;
  return (
    <div className="grid grid-cols-2 gap-x-3 gap-y-3 rounded-xl bg-sunken p-4 sm:grid-cols-3 lg:grid-cols-5">
      <Select
        label={say.check}
        value={filters.check}
        options={[['', say.any], ...Object.entries(names)]}
        onChoose={(check) => set({ check })}
      />
      <Select
        label={say.review}
        value={filters.review}
        options={[['', say.any], ...Object.entries(reviews)]}
        onChoose={(review) => set({ review })}
      />
      <Select
        label={say.time}
        value={filters.time}
        options={['', '1', '7', '30', 'range'].map((one) => [one, say.times[one] ?? one])}
        onChoose={(time) => set({ time, ...(time !== 'range' && { from: '', to: '' }) })}
      />
      <Known
        label={say.agent}
        value={filters.agent}
        known={entries.map((one) => one.entry.agent_id ?? '')}
        onText={(agent) => set({ agent })}
      />
      <Known
        label={say.session}
        value={filters.session}
        known={entries.map((one) => one.entry.session_id)}
        onText={(session) => set({ session })}
      />
      {filters.time === 'range' && (
        <>
          <TextField label={say.from} type="date" value={filters.from} onText={(from) => set({ from })} />
          <TextField label={say.to} type="date" value={filters.to} onText={(to) => set({ to })} />
        </>
      )}
      {(active > 0 || filters.search) && (
        <Button look="quiet" className="col-span-full justify-self-start" onClick={clear}>
          <Icon name="close" className="size-4" /> {say.clear}
        </Button>
      )}
    </div>
  );
}

const MOST_KNOWN = 50;

function Known(props: { label: string; value: string; known: string[]; onText: (text: string) => void }) {
  const [text, setText] = useTyped(props.value, props.onText);
  const known = [...new Set(props.known)].filter((one) => one !== '').slice(0, MOST_KNOWN);
  return <TextField label={props.label} value={text} known={known} maxLength={128} onText={setText} />;
}
