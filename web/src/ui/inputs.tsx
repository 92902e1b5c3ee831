import { type ComponentProps, type ReactNode, useState } from "react";
import { cx } from "./cx.ts";
import { controlClass, Lockable } from "./field.tsx";
import { CheckIcon, ChevronDownIcon, EyeIcon } from "./icons.tsx";
import { useTranslation } from "react-i18next";

/** Single-line input. `mono` aligns characters of addresses, headers and codes. */
export function Input({ className, mono = false, ...rest }: ComponentProps<"input"> & { mono?: boolean }) {
  return <input {...rest} className={cx(controlClass.line, mono && "font-mono text-[13px]", className)} />;
}

export function Textarea({ className, mono = false, ...rest }: ComponentProps<"textarea"> & { mono?: boolean }) {
  return <textarea {...rest} className={cx(controlClass.area, mono && "font-mono text-[13px]", className)} />;
}

type SelectProps = ComponentProps<"select"> & {
  /** Rendered after `children`. */
  options?: readonly { value: string | number; label: ReactNode; lang?: string }[];
};

/** The native select, which works well on every phone and with every screen reader. */
export function Select({ className, options, children, ...rest }: SelectProps) {
  return (
    <span className={cx("relative inline-flex min-w-0", className)}>
      <select {...rest} className={cx(controlClass.line, "appearance-none truncate pr-8")}>
        {children}
        {options?.map(({ label, ...option }) => (
          <option key={option.value} {...option}>
            {label}
          </option>
        ))}
      </select>
      <ChevronDownIcon className="pointer-events-none absolute top-1/2 right-2.5 size-3.5 -translate-y-1/2 text-muted" />
    </span>
  );
}

/** A checkbox. Without `label` it needs an `aria-label`. */
export function Checkbox({
  label,
  className,
  indeterminate = false,
  ...rest
}: Omit<ComponentProps<"input">, "type"> & { label?: ReactNode; indeterminate?: boolean }) {
  return (
    <label className={cx("inline-flex min-h-6 min-w-6 items-center gap-2", className)}>
      <span className="relative inline-flex size-4 shrink-0">
        <input
          {...rest}
          type="checkbox"
          ref={(element) => {
            if (element !== null) element.indeterminate = indeterminate;
            if (typeof rest.ref === "function") rest.ref(element);
          }}
          className="peer size-4 appearance-none rounded-sm border border-line-strong bg-surface checked:border-accent checked:bg-accent indeterminate:border-accent indeterminate:bg-accent hover:border-faint disabled:cursor-not-allowed disabled:opacity-55"
        />
        <CheckIcon className="pointer-events-none absolute inset-0 size-4 text-on-accent opacity-0 peer-checked:opacity-100" />
        <span className="pointer-events-none absolute inset-x-1 top-1/2 h-0.5 -translate-y-1/2 rounded bg-on-accent opacity-0 peer-indeterminate:opacity-100" />
      </span>
      {label}
    </label>
  );
}

export function Switch({
  label,
  hint,
  className,
  ...rest
}: Omit<ComponentProps<"input">, "type"> & { label: ReactNode; hint?: ReactNode }) {
  return (
    <Lockable name={rest.name}>
      <label className={cx("flex min-h-6 items-start gap-3", className)}>
        <span className="relative mt-0.5 inline-flex h-5 w-9 shrink-0">
          <input
            {...rest}
            type="checkbox"
            className="peer h-5 w-9 appearance-none rounded-full border border-line-strong bg-idle-soft transition-colors checked:border-accent checked:bg-accent disabled:opacity-55"
          />
          <span className="pointer-events-none absolute top-[3px] left-[3px] size-3.5 rounded-full bg-faint transition-[translate,background-color] duration-100 peer-checked:translate-x-4 peer-checked:bg-on-accent" />
        </span>
        <span className="flex flex-col">
          <span className="font-medium">{label}</span>
          {hint !== undefined && <span className="text-[13px] text-faint">{hint}</span>}
        </span>
      </label>
    </Lockable>
  );
}

type PasswordInputProps = Omit<ComponentProps<typeof Input>, "type"> & {
  canShow?: boolean;
  /** Labels of the reveal button. The default is for passwords. */
  labels?: { show: string; hide: string };
};

export function PasswordInput({ canShow = true, labels, ...rest }: PasswordInputProps) {
  const { t } = useTranslation();
  const [shown, setShown] = useState(false);
  const { show, hide } = labels ?? { show: t("auth.showPassword"), hide: t("auth.hidePassword") };
  return (
    <span className="relative block">
      <Input {...rest} type={shown && canShow ? "text" : "password"} className={canShow ? "pr-10" : undefined} />
      {canShow && (
        <button
          type="button"
          aria-label={shown ? hide : show}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
          className="absolute top-1/2 right-1.5 grid size-7 -translate-y-1/2 place-items-center rounded-sm text-faint hover:text-ink aria-pressed:text-accent"
        >
          <EyeIcon />
        </button>
      )}
    </span>
  );
}
