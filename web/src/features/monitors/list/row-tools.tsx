import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useEffect, useState } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import { lockOf } from "../../../entities/managed/managed-badge.tsx";
import { paths } from "../../../app/paths.ts";
import { SilenceMenu } from "../../../entities/silences/silence-menu.tsx";
import { RowAction } from "../../../lists/row-actions.tsx";
import { isPassive } from "../../../ui/health/schedule.ts";
import { EditIcon, PauseIcon, PlayIcon, RefreshIcon } from "../../../ui/icons.tsx";
import type { RowAct } from "./row-act.ts";
import { useCheckNow } from "./check-now.ts";

type RowToolsProps = {
  table: HTMLElement;
  /** Element under the pointer when the tools were first needed. */
  pointed: Element | null;
  monitors: readonly Monitor[];
  onAct: RowAct;
};

const placeAt = (element: EventTarget | null) =>
  (element instanceof Element && element.closest("tr")?.querySelector<HTMLElement>("[data-tools]")) || null;

/** The most frequent actions. Only the hovered and the focused row render them, for speed. */
export default function RowTools({ table, pointed: first, monitors, onAct }: RowToolsProps) {
  const [pointed, setPointed] = useState(() => placeAt(first));
  const [focused, setFocused] = useState(() => placeAt(document.activeElement));
  useEffect(() => {
    const ending = new AbortController();
    const listen = (type: string, act: (event: Event & { relatedTarget?: EventTarget | null }) => void) =>
      table.addEventListener(type, act, { signal: ending.signal });
    listen("pointerover", ({ target }) => setPointed(placeAt(target)));
    listen("pointerleave", () => setPointed(null));
    listen("focusin", ({ target }) => setFocused(placeAt(target)));
    listen("focusout", ({ relatedTarget = null }) => setFocused(placeAt(relatedTarget)));
    return () => ending.abort();
  }, [table]);
  return [...new Set([pointed, focused])].map((place) => {
    const monitor = monitors.find(({ id }) => String(id) === place?.dataset["tools"]);
    return place && monitor && createPortal(<Tools monitor={monitor} onAct={onAct} />, place, String(monitor.id));
  });
}

function Tools({ monitor, onAct }: { monitor: Monitor; onAct: RowAct }) {
  const { t } = useTranslation();
  const [checkNow, isChecking] = useCheckNow();
  const { id, name, type, paused, managed } = monitor;
  return (
    <span className="flex items-center rounded-md border border-line bg-raised shadow-lifted">
      {/* Not disabled while checking, because that would lose the focus. */}
      {!isPassive(type) && (
        <RowAction
          label={t(isChecking ? "monitor.checking" : "monitor.checkNow")}
          name={name}
          onClick={() => !isChecking && void checkNow([monitor])}
        >
          <RefreshIcon className={isChecking ? "animate-spin" : undefined} />
        </RowAction>
      )}
      <RowAction
        hotkey="p"
        label={t(paused ? "monitors.resume" : "monitors.pause")}
        name={name}
        refusal={lockOf(managed, "paused", t)}
        onClick={() => onAct(paused ? "resume" : "pause", monitor)}
      >
        {paused ? <PlayIcon /> : <PauseIcon />}
      </RowAction>
      <SilenceMenu variant="ghost" size="icon" target={{ type: "monitor", id }} name={name} />
      <RowAction hotkey="e" label={t("common.edit")} name={name} to={paths.monitorEdit(id)}>
        <EditIcon />
      </RowAction>
    </span>
  );
}
