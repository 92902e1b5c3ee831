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
