import { type ReactNode, useId } from 'react';

export interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  options: { value: T; label: string; show?: ReactNode }[];
  onChoose: (value: T) => void;
}

/** One of a few, side by side. */
export function Choice<T extends string>({ label, value, options, onChoose }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset className="inline-flex rounded-lg border border-line bg-sunken p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          title={option.label}
          className="flex min-h-7 min-w-8 cursor-pointer items-center justify-center rounded-md px-2 text-[13px] text-muted transition-colors hover:text-ink has-checked:bg-surface has-checked:text-ink has-checked:shadow-[0_0_0_1px_var(--line)] has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            className="sr-only"
            aria-label={option.label}
            checked={option.value === value}
            onChange={() => onChoose(option.value)}
          />
          {option.show ?? option.label}
        </label>
      ))}
    </fieldset>
  );
}
