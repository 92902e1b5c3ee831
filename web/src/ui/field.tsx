import { createContext, type ReactNode, useContext, useId } from "react";
import { cx } from "./cx.ts";
import { LockIcon } from "./icons.tsx";

export type FieldIds = { id: string; "aria-describedby": string | undefined; "aria-invalid": true | undefined };

type FieldProps = {
  label: ReactNode;
  error?: string | undefined;
  hint?: ReactNode;
  required?: boolean;
  className?: string;
  /** Renders the control with the ids of label, hint and error. */
  children: (ids: FieldIds) => ReactNode;
};

export function Field({ label, error, hint, required = false, className, children }: FieldProps) {
  const id = useId();
  const describedBy = error !== undefined ? `${id}-error` : hint !== undefined ? `${id}-hint` : undefined;
  return (
    <div className={cx("flex min-w-0 flex-col gap-1.5", className)}>
      <label htmlFor={id} className="text-[13px] font-medium text-ink">
        {label}
        {required && (
          <span aria-hidden="true" className="ml-0.5 text-down-ink">
            *
          </span>
        )}
      </label>
      {children({ id, "aria-describedby": describedBy, "aria-invalid": error !== undefined || undefined })}
      <FieldError id={`${id}-error`} text={error} />
      {error === undefined && hint !== undefined && (
        <p id={`${id}-hint`} className="text-[13px] text-faint">
          {hint}
        </p>
      )}
    </div>
  );
}

type FieldErrorProps = { id?: string; text: string | undefined; className?: string };

export function FieldError({ id, text, className }: FieldErrorProps) {
  if (text === undefined) return null;
  return (
    <p id={id} role="alert" className={cx("text-[13px] text-down-ink", className)}>
      {text}
    </p>
  );
}

const control =
  "w-full min-w-0 rounded-md border border-line-strong bg-surface px-3 text-ink transition-colors duration-100 " +
  "hover:border-faint focus-visible:border-accent disabled:cursor-not-allowed disabled:bg-sunken disabled:text-muted " +
  "aria-invalid:border-down";

export const controlClass = {
  line: cx(control, "h-9"),
  area: cx(control, "min-h-24 py-2 leading-normal"),
};

export function FieldGroup({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-4 px-4 py-4 md:px-5">
      <legend className="sr-only">{title}</legend>
      <p aria-hidden="true" className="text-[13px] font-semibold text-muted">
        {title}
      </p>
      {children}
    </fieldset>
  );
}

type LockOf = (name: string) => string | undefined;
const noLock: LockOf = () => undefined;
const LockContext = createContext(noLock);

/** Provides, by field name, why fields of the forms inside cannot be changed. */
export const FieldLocks = LockContext.Provider;

/** Why a field cannot be changed, or `undefined` if it can. */
export const useLock = (name: string | undefined): string | undefined => useContext(LockContext)(name ?? "");

type LockedProps = {
  reason: string | undefined;
  className?: string | undefined;
  /** True for cards, which show the mark in their header. */
  isCard?: boolean;
  children: ReactNode;
};

export function Locked({ reason, className, isCard = false, children }: LockedProps) {
  if (reason === undefined) return children;
  return (
    <fieldset disabled title={reason} data-locked className={cx("relative min-w-0", className)}>
      <legend className="sr-only">{reason}</legend>
      {/* Nested fields have the same reason, so they do not repeat it. */}
      <FieldLocks value={noLock}>{children}</FieldLocks>
      <span className={cx("absolute text-muted", isCard ? "top-4 right-4 md:right-5" : "top-0.5 right-0")}>
        <LockIcon className="size-3.5" />
      </span>
    </fieldset>
  );
}

export function Lockable({ name, ...rest }: Omit<LockedProps, "reason"> & { name: string | undefined }) {
  return <Locked reason={useLock(name)} {...rest} />;
}
