import type { TargetType } from "@sonde/proto/http/monitors/targets";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useTranslatedMessage } from "../../lib/translated-message.ts";
import { Button } from "../../ui/button.tsx";
import { PlusIcon } from "../../ui/icons.tsx";
import { errorText } from "../errors.ts";
import { useAppDispatch } from "../hooks.ts";
import { type TargetSummary, targetsApi } from "./api.ts";

type AddAllProps = {
  types: readonly TargetType[];
  /** How many more may be chosen, of `max`. */
  room: number;
  max: number;
  isOffered: (target: TargetSummary) => boolean;
  onAdd: (targets: TargetSummary[]) => void;
};

/** Adds all monitors or all agents at once, as far as there is room, and reports how many that were. */
export function AddAll({ types, room, max, isOffered, onAdd }: AddAllProps) {
  const { t, i18n } = useTranslation();
  const dispatch = useAppDispatch();
  const [asking, setAsking] = useState<TargetType | null>(null);
  const [note, setNote] = useTranslatedMessage();
  async function addAll(type: TargetType) {
    setAsking(type);
    setNote(null);
    const request = dispatch(targetsApi.endpoints.allTargets.initiate(type, { forceRefetch: true }));
    try {
      const { targets } = await request.unwrap();
      const offered = targets.filter(isOffered);
      const count = Math.min(offered.length, room);
      onAdd(offered.slice(0, count));
      const outcome = offered.length === 0 ? "addedNone" : count < offered.length ? "addedSome" : "addedAll";
      setNote(() => i18n.t(`alerting.${outcome}`, { count, max }));
    } catch (error) {
      setNote(() => errorText(error, "fetchData"));
    } finally {
      request.unsubscribe();
      setAsking(null);
    }
  }
  return (
    <div className="flex flex-wrap items-center gap-x-1 gap-y-1">
      {types.map((type) => (
        <Button
          key={type}
          size="sm"
          variant="ghost"
          disabled={room <= 0 || asking !== null}
          saving={asking === type}
          onClick={() => void addAll(type)}
        >
          <PlusIcon className="size-3.5" />
          {t(`alerting.addAll.${type}`)}
        </Button>
      ))}
      <span role="status" className="text-[13px] text-muted">
        {note}
      </span>
    </div>
  );
}
