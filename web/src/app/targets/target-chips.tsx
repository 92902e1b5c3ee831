import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../ui/button.tsx";
import { CrossIcon } from "../../ui/icons.tsx";
import { isSameTarget, targetKey } from "./target-key.ts";
import { TargetIcon, useTargetName } from "./target-line.tsx";

/** Each chip asks for its target: hundreds are shown on demand only. */
const shownAtFirst = 24;
const fewChips = 3;

type TargetChipsProps = { value: readonly TargetRef[]; onChange: (value: TargetRef[]) => void; disabled: boolean };

/** What was chosen, each with a button that takes it away again. */
export function TargetChips({ value, onChange, disabled }: TargetChipsProps) {
  const { t } = useTranslation();
  const [showsAll, setShowsAll] = useState(false);
  if (value.length === 0) return null;
  const shown = showsAll ? value : value.slice(0, shownAtFirst);
  const hidden = value.length - shown.length;
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <ul className="contents">
        {shown.map((each) => (
          <Chip
            key={targetKey(each)}
            target={each}
            disabled={disabled}
            onRemove={() => onChange(value.filter((other) => !isSameTarget(other, each)))}
          />
        ))}
      </ul>
      {hidden > 0 && (
        <Button size="sm" variant="ghost" onClick={() => setShowsAll(true)}>
          {t("alerting.showAll", { count: hidden })}
        </Button>
      )}
      {value.length > fewChips && !disabled && (
        <Button size="sm" variant="ghost" onClick={() => onChange([])}>
          {t("alerting.removeAll")}
        </Button>
      )}
    </div>
  );
}

function Chip({ target, disabled, onRemove }: { target: TargetRef; disabled: boolean; onRemove: () => void }) {
  const { t } = useTranslation();
  const { name = "…" } = useTargetName(target);
  return (
    <li className="inline-flex max-w-full min-h-8 items-center gap-1.5 rounded-md border border-line bg-sunken pl-2">
      <TargetIcon type={target.type} className="size-3.5 text-muted" />
      <span className="min-w-0 truncate">{name}</span>
      <button
        type="button"
        disabled={disabled}
        aria-label={t("alerting.remove", { name })}
        title={t("alerting.remove", { name })}
        onClick={onRemove}
        className="inline-flex size-8 items-center justify-center rounded-md text-muted hover:text-ink"
      >
        <CrossIcon className="size-3.5" />
      </button>
    </li>
  );
}
