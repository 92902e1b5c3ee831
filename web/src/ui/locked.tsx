import { createContext, type ReactNode, useContext } from "react";
import { cx } from "./cx.ts";
import { LockIcon } from "./icons.tsx";

type LockOf = (name: string) => string | undefined;
const noLock: LockOf = () => undefined;
const LockContext = createContext(noLock);

/** Its value names why a field of the forms within cannot be changed, by the field's name in its form. */
export const FieldLocks = LockContext.Provider;

/** Why a field of the form around cannot be changed; undefined: it can. */
export const useLock = (name: string | undefined): string | undefined => useContext(LockContext)(name ?? "");

type LockedProps = {
  reason: string | undefined;
  className?: string | undefined;
  /** It is a card: the mark is in its head. */
  isCard?: boolean;
  children: ReactNode;
};

/** Disables all controls within, and shows why; without a reason it changes nothing. */
export function Locked({ reason, className, isCard = false, children }: LockedProps) {
  if (reason === undefined) return children;
  return (
    <fieldset disabled title={reason} data-locked className={cx("relative min-w-0", className)}>
      <legend className="sr-only">{reason}</legend>
      {/* Those within have the same reason. */}
      <FieldLocks value={noLock}>{children}</FieldLocks>
      <span className={cx("absolute text-muted", isCard ? "top-4 right-4 md:right-5" : "top-0.5 right-0")}>
        <LockIcon className="size-3.5" />
      </span>
    </fieldset>
  );
}

/** One field, or what belongs to it, that the form around may have locked. */
export function Lockable({ name, ...rest }: Omit<LockedProps, "reason"> & { name: string | undefined }) {
  return <Locked reason={useLock(name)} {...rest} />;
}
