import { type ReactNode, useId, useState } from "react";
import { cx } from "./cx.ts";
import { Input } from "./inputs.tsx";

type SegmentedProps<Value extends string> = {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  options: readonly { value: Value; label: ReactNode }[];
};

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

/** Radio buttons that look like chips and wrap. */
export function RadioChips<Value extends string>({ label, value, onChange, options }: SegmentedProps<Value>) {
  const name = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-[13px] font-medium">{label}</legend>
      <div className="flex flex-wrap gap-1.5">
        {options.map((option) => (
          <label key={option.value} className={cx(chipClass, "has-checked:border-accent has-checked:bg-accent-soft")}>
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
      </div>
    </fieldset>
  );
}

export const chipClass =
  "relative inline-flex min-h-8 max-w-full cursor-pointer items-center gap-1.5 rounded-md border border-line-strong px-2.5 text-[13px] font-medium transition-colors hover:border-faint has-focus-visible:outline-2 has-focus-visible:outline-(--focus)";

type CardOption<Value extends string> = {
  value: Value;
  icon: ReactNode;
  name: string;
  hint: string;
  /** Heading above the options of a group. */
  group?: string;
};

type ChoiceCardsProps<Value extends string> = {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  disabled?: boolean;
  /** For long lists: only the selected option shows its description. */
  dense?: boolean;
  options: readonly CardOption<Value>[];
};

/** Radio buttons that look like cards, each with a line of description. */
export function ChoiceCards<Value extends string>(props: ChoiceCardsProps<Value>) {
  const { label, options, disabled } = props;
  const name = useId();
  const groups = Map.groupBy(options, ({ group }) => group);
  return (
    <fieldset disabled={disabled} className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1.5 text-[13px] font-medium">{label}</legend>
      {[...groups].map(([group, members]) => (
        <div key={group ?? ""} {...(group !== undefined && { role: "group", "aria-label": group })}>
          {group !== undefined && (
            <p aria-hidden="true" className="mb-1.5 text-[13px] text-muted">
              {group}
            </p>
          )}
          <div className="grid grid-cols-1 gap-2 min-[360px]:grid-cols-2 md:grid-cols-4">
            {members.map((option) => (
              <Card key={option.value} {...props} name={name} option={option} />
            ))}
          </div>
        </div>
      ))}
    </fieldset>
  );
}

type CardProps<Value extends string> = Pick<ChoiceCardsProps<Value>, "value" | "onChange" | "dense"> & {
  name: string;
  option: CardOption<Value>;
};

function Card<Value extends string>({ name, option, value, onChange, dense = false }: CardProps<Value>) {
  const id = `${name}-${option.value}`;
  const isBrief = dense && option.value !== value;
  return (
    <label
      title={isBrief ? option.hint : undefined}
      className="relative flex cursor-pointer flex-col gap-0.5 rounded-md border border-line-strong px-3 py-2 transition-colors hover:border-faint has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-(--focus)"
    >
      <input
        type="radio"
        name={name}
        value={option.value}
        checked={option.value === value}
        onChange={() => onChange(option.value)}
        aria-labelledby={id}
        aria-describedby={`${id}-hint`}
        className="absolute inset-0 cursor-pointer appearance-none outline-none"
      />
      <span id={id} className="flex items-center gap-2 font-medium">
        <span aria-hidden="true" className="text-muted">
          {option.icon}
        </span>
        {option.name}
      </span>
      <span id={`${id}-hint`} className={isBrief ? "sr-only" : "text-[13px] text-muted"}>
        {option.hint}
      </span>
    </label>
  );
}

type SearchableCardsProps<Value extends string> = ChoiceCardsProps<Value> & {
  find: string;
  nothing: string;
};

/** With fewer options there is no search field. */
const minForSearch = 8;

export function SearchableCards<Value extends string>({ find, nothing, ...cards }: SearchableCardsProps<Value>) {
  const [typed, setTyped] = useState("");
  const sought = typed.trim().toLowerCase();
  const options = cards.options.filter(({ value, name, hint, group = "" }) =>
    `${value}\n${name}\n${hint}\n${group}`.toLowerCase().includes(sought),
  );
  return (
    <div className="flex flex-col gap-2">
      {cards.options.length > minForSearch && (
        <Input
          type="search"
          aria-label={find}
          placeholder={find}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          // Enter selects the only match. Elsewhere in the form it saves.
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            const [first] = options;
            if (first !== undefined && sought !== "" && cards.disabled !== true) cards.onChange(first.value);
          }}
        />
      )}
      {options.length > 0 ? (
        <ChoiceCards {...cards} options={options} dense={cards.options.length > minForSearch && sought === ""} />
      ) : (
        <p role="status" className="text-[13px] text-muted">
          {nothing}
        </p>
      )}
    </div>
  );
}
