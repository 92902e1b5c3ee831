import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { ChevronDownIcon, ChevronRightIcon } from "../../../ui/icons.tsx";

let unfolded: ReadonlySet<number> = new Set();
const listeners = new Set<() => void>();

function toggle(id: number) {
  unfolded = unfolded.symmetricDifference(new Set([id]));
  for (const listener of listeners) listener();
}
function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns whether a monitor is a group that shows its members, until the page is reloaded. */
export function useIsUnfolded() {
  const ids = useSyncExternalStore(subscribe, () => unfolded);
  return ({ type, id }: Pick<Monitor, "type" | "id">) => type === "group" && ids.has(id);
}

/** Shows or hides the members of a group; nothing for other monitors. */
export function FoldButton({ monitor }: { monitor: Monitor }) {
  const { t } = useTranslation();
  const isUnfolded = useIsUnfolded();
  if (monitor.type !== "group") return null;
  const { id, name, counts } = monitor;
  const isOpen = isUnfolded(monitor);
  const Chevron = isOpen ? ChevronDownIcon : ChevronRightIcon;
  const all = counts.up + counts.down + counts.ignored;
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={() => toggle(id)}
      className="relative z-10 inline-flex min-h-6 shrink-0 items-center gap-0.5 rounded-sm px-1 text-[12px] text-muted hover:bg-sunken hover:text-ink"
    >
      <Chevron className="size-3.5" />
      <span className="sr-only">{t("groups.membersOf", { name })} </span>
      <span className="tnum">{t("groups.upOf", { up: counts.up, count: all })}</span>
    </button>
  );
}
