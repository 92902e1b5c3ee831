import { useTranslation } from "react-i18next";
import { TargetIcon, useTargetName } from "../../app/targets/target-line.tsx";
import { answers, incidentKinds, type IncidentListState } from "./list.ts";
import { readTarget } from "./read-target.ts";
import { FilterSelect, ListFilters } from "../../lists/list-filters.tsx";
import { Button } from "../../ui/button.tsx";
import { CrossIcon } from "../../ui/icons.tsx";

/** Search, open or closed, kind, acknowledged, and the one target that a link may have named. */
export function IncidentFilters({ list }: { list: IncidentListState }) {
  const { t } = useTranslation();
  const { open, kind, acknowledged, target } = list.params;
  return (
    <ListFilters noun="incidentList" list={list}>
      <FilterSelect
        label={t("incidentList.state")}
        allLabel={t("incidentList.allStates")}
        values={answers}
        value={open}
        nameOf={(value) => t(value === "true" ? "incidentList.open" : "incidentList.closed")}
        onChange={(next) => list.change({ open: next })}
      />
      <FilterSelect
        label={t("incidentList.kind")}
        allLabel={t("incidentList.allKinds")}
        values={incidentKinds}
        value={kind}
        nameOf={(value) => t(`incident.kinds.${value}`)}
        onChange={(next) => list.change({ kind: next })}
      />
      <FilterSelect
        label={t("incidentList.acknowledged")}
        allLabel={t("incidentList.anyAcknowledged")}
        values={answers}
        value={acknowledged}
        nameOf={(value) => t(value === "true" ? "incidents.acknowledged" : "incidentList.notAcknowledged")}
        onChange={(next) => list.change({ acknowledged: next })}
      />
      {target !== undefined && <TargetFilter target={target} onRemove={() => list.change({ target: undefined })} />}
    </ListFilters>
  );
}

function TargetFilter({ target: filter, onRemove }: { target: string; onRemove: () => void }) {
  const { t } = useTranslation();
  const target = readTarget(filter);
  const { name = "…" } = useTargetName(target);
  return (
    <Button
      onClick={onRemove}
      aria-label={t("incidentList.anyTarget", { name })}
      title={t("incidentList.anyTarget", { name })}
    >
      <TargetIcon type={target.type} className="size-4 text-muted" />
      <span className="max-w-48 truncate">{name}</span>
      <CrossIcon className="size-3.5" />
    </Button>
  );
}
