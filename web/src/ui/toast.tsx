import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "./alert.tsx";
import { CrossIcon } from "./icons.tsx";

type Toast = { id: number; kind: "success" | "error" | "info"; text: string };

const shownForMs = 5000;
let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]) {
  toasts = next;
  for (const listener of listeners) listener();
}
function dismiss(id: number) {
  set(toasts.filter((toast) => toast.id !== id));
}

/** Shows a message that belongs to no part of the page; errors stay until they are closed. */
export function toast(kind: Toast["kind"], text: string): void {
  const id = nextId++;
  set([...toasts.slice(-2), { id, kind, text }]);
  if (kind !== "error") setTimeout(() => dismiss(id), shownForMs);
}

/** Where toasts appear; rendered once in the app. */
export function Toaster() {
  const { t } = useTranslation();
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className="pointer-events-none fixed inset-x-4 bottom-4 z-50 flex flex-col items-end gap-2">
      {shown.map(({ id, kind, text }) => (
        <Alert
          key={id}
          kind={kind}
          className="pointer-events-auto w-full max-w-sm bg-raised shadow-lifted"
          action={
            <button type="button" aria-label={t("common.close")} className="-m-0.5 p-1" onClick={() => dismiss(id)}>
              <CrossIcon />
            </button>
          }
        >
          {text}
        </Alert>
      ))}
    </div>
  );
}
