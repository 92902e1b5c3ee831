import { type ReactNode, useId } from "react";

type SegmentedProps<Value extends string> = {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  options: readonly { value: Value; label: ReactNode }[];
};

/** One of two or three, all in sight: radio buttons that look like a switch. */
export function Segmented<Value extends string>({ label, value, onChange, options }: SegmentedProps<Value>) {
  const name = useId();
  return (
    <fieldset className="inline-flex rounded-md border border-line bg-sunken p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className="relative inline-flex h-7 cursor-pointer items-center rounded-[6px] px-3 text-[13px] font-medium text-muted transition-colors hover:text-ink has-checked:bg-surface has-checked:text-ink has-checked:shadow-[0_0_0_1px_var(--line-strong)] has-focus-visible:outline-2 has-focus-visible:outline-(--focus)"
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="absolute inset-0 cursor-pointer appearance-none outline-none"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}

type ChoiceCardsProps<Value extends string> = {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  disabled?: boolean;
  options: readonly { value: Value; icon: ReactNode; name: string; hint: string }[];
};

/** One of a few, each with a line of explanation: radio buttons that look like cards. */
export function ChoiceCards<Value extends string>(props: ChoiceCardsProps<Value>) {
  const { label, value, onChange, disabled, options } = props;
  const id = useId();
  return (
    <fieldset disabled={disabled} className="min-w-0">
      <legend className="mb-1.5 text-[13px] font-medium">{label}</legend>
      <div className="grid grid-cols-1 gap-2 min-[360px]:grid-cols-2 md:grid-cols-4">
        {options.map((option) => (
          <label
            key={option.value}
            className="relative flex cursor-pointer flex-col gap-0.5 rounded-md border border-line-strong p-3 transition-colors hover:border-faint has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-(--focus)"
          >
            <input
              type="radio"
              name={id}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
              aria-labelledby={`${id}-${option.value}`}
              aria-describedby={`${id}-${option.value}-hint`}
              className="absolute inset-0 cursor-pointer appearance-none outline-none"
            />
            <span id={`${id}-${option.value}`} className="flex items-center gap-2 font-medium">
              <span aria-hidden="true" className="text-muted">
                {option.icon}
              </span>
              {option.name}
            </span>
            <span id={`${id}-${option.value}-hint`} className="text-[13px] text-muted">
              {option.hint}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
