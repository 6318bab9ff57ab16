import { type ComponentProps, useId } from 'react';
import { useDebouncedText } from '../hooks/debounce';
import { Icon } from './Icon';

const BOX = 'min-h-9 w-full rounded-lg border border-field bg-surface px-2.5 py-1.5 text-sm placeholder:text-faint';

export interface SearchFieldProps {
  label: string;
  value: string;
  onSearch: (text: string) => void;
}

/** Text that is looked for as soon as the typing pauses; the / key comes here. */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const [text, setText] = useDebouncedText(value, onSearch);
  return (
    <div className="relative min-w-0 flex-1 basis-60">
      <Icon
        name="ask"
        className="pointer-events-none absolute top-1/2 left-3 size-[18px] -translate-y-1/2 text-faint"
      />
      <input
        type="search"
        data-search
        aria-label={label}
        placeholder={label}
        value={text}
        maxLength={500}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && text === '' && event.currentTarget.blur()}
        className="min-h-10 w-full rounded-xl border border-field bg-surface py-1.5 pr-2.5 pl-9.5 placeholder:text-faint"
      />
    </div>
  );
}

export interface SelectProps {
  label: string;
  value: string;
  options: [value: string, label: string][];
  onChoose: (value: string) => void;
}

/** One of several; the first stands for all. */
export function Select({ label, value, options, onChoose }: SelectProps) {
  return (
    <label className="block min-w-0">
      <span className="mb-1 block text-xs text-muted">{label}</span>
      <select
        value={value}
        onChange={(event) => onChoose(event.target.value)}
        className={`${BOX} ${value === '' ? '' : 'border-accent text-accent'}`}
      >
        {options.map(([name, word]) => (
          <option key={name} value={name}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}

export interface TextFieldProps extends Omit<ComponentProps<'input'>, 'onChange' | 'value'> {
  'data-first'?: boolean;
  label: string;
  value: string;
  onText: (text: string) => void;
  /** What was seen here before, to choose from. */
  known?: string[];
}

/** A line of text with its label above. */
export function TextField({ label, value, onText, known, ...rest }: TextFieldProps) {
  const list = useId();
  return (
    <label className="block min-w-0">
      <span className="mb-1 block text-xs text-muted">{label}</span>
      <input
        {...rest}
        {...(known && { list })}
        value={value}
        onChange={(event) => onText(event.target.value)}
        className={BOX}
      />
      {known && (
        <datalist id={list}>
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </label>
  );
}
