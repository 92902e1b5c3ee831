import { type ReactNode, useEffect, useState } from "react";
import { createShared, useShared } from "../lib/hooks.ts";
import { cx } from "./cx.ts";
import { CheckIcon, InfoIcon, WarnIcon, CrossIcon } from "./icons.tsx";
import { useTranslation } from "react-i18next";

const kinds = {
  error: { icon: WarnIcon, role: "alert", className: "border-down/45 bg-down-soft text-down-ink" },
  success: { icon: CheckIcon, role: "status", className: "border-up/45 bg-up-soft text-up-ink" },
  info: { icon: InfoIcon, role: "status", className: "border-line bg-sunken text-muted" },
} as const;

type AlertProps = { kind: keyof typeof kinds; action?: ReactNode; className?: string | undefined; children: ReactNode };

export function Alert({ kind, action, className, children }: AlertProps) {
  const { icon: Icon, role, className: look } = kinds[kind];
  return (
    <div role={role} className={cx("fade-in flex items-start gap-2 rounded-md border px-3 py-2", look, className)}>
      <Icon className="mt-[3px] size-4" />
      <div className="min-w-0 flex-1">{typeof children === "string" ? <Lines text={children} /> : children}</div>
      {action}
    </div>
  );
}

/** Renders each line of a text as its own element. */
export function Lines({ text }: { text: string }) {
  const lines = text.split("\n");
  if (lines.length === 1) return text;
  return lines.map((line) => (
    <span key={line} className="block">
      {line}
    </span>
  ));
}

type ToastAction = { label: string; run: () => void };
type Toast = { id: number; kind: "success" | "error" | "info"; text: string; action?: ToastAction | undefined };

const shownForMs = 5000;
/** How long an action can be undone. */
const undoForMs = 10_000;
const toasts = createShared<readonly Toast[]>([]);
let nextId = 1;

const dismiss = (id: number) => toasts.set(toasts.read().filter((toast) => toast.id !== id));

/**
 * Shows a message that belongs to no part of the page, with an optional action. Errors stay until they are closed.
 * Returns a function that removes it.
 */
export function toast(kind: Toast["kind"], text: string, action?: ToastAction): () => void {
  const id = nextId++;
  toasts.set([...toasts.read().slice(-2), { id, kind, text, action }]);
  return () => dismiss(id);
}

export function Toaster() {
  useEffect(() => () => toasts.set([]), []);
  return (
    // Above anything that a page keeps at the bottom on a phone.
    <div className="pointer-events-none fixed inset-x-4 bottom-4 z-50 flex flex-col items-end gap-2 max-sm:in-[:has([data-bottom-bar])]:bottom-20">
      {useShared(toasts).map((each) => (
        <ToastAlert key={each.id} {...each} />
      ))}
    </div>
  );
}

/** Closes after a while, but not while hovered or focused. */
function ToastAlert({ id, kind, text, action }: Toast) {
  const { t } = useTranslation();
  const [isHeld, setHeld] = useState(false);
  const stays = kind === "error" || isHeld;
  const forMs = action === undefined ? shownForMs : undoForMs;
  useEffect(() => {
    if (stays) return;
    const timer = setTimeout(() => dismiss(id), forMs);
    return () => clearTimeout(timer);
  }, [id, stays, forMs]);
  return (
    <div
      className="pointer-events-auto w-full max-w-sm rounded-md bg-raised shadow-lifted"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Alert
        kind={kind}
        action={
          <>
            {action !== undefined && (
              <button
                type="button"
                className="-my-0.5 rounded-sm px-1.5 py-0.5 font-semibold whitespace-nowrap underline underline-offset-2"
                onClick={() => {
                  dismiss(id);
                  action.run();
                }}
              >
                {action.label}
              </button>
            )}
            <button type="button" aria-label={t("common.close")} className="-m-0.5 p-1" onClick={() => dismiss(id)}>
              <CrossIcon />
            </button>
          </>
        }
      >
        {text}
      </Alert>
    </div>
  );
}
