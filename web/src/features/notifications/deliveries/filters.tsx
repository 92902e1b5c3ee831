import { deliveryStatuses } from "@sonde/proto/http/notifications/deliveries";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useTargetQuery } from "../../../app/targets/api.ts";
import { FilterSelect } from "../../../lists/list-filters.tsx";
import { Button } from "../../../ui/button.tsx";
import { useChannelsQuery } from "../api.ts";
import { TargetDialog } from "../target-dialog.tsx";
import type { DeliveryList } from "./list.ts";

/** By channel, by what became of it, and by the monitor or agent that it reports. */
export function DeliveryFilters({ list }: { list: DeliveryList }) {
  const { t } = useTranslation();
  const { data } = useChannelsQuery();
  const { channel, status } = list.params;
  const names = new Map(data?.channels.map(({ id, name }) => [String(id), name]));
  const ids = [...new Set([...names.keys(), ...(channel === undefined ? [] : [channel])])];
  return (
    <div className="flex flex-wrap items-center gap-2">
      <FilterSelect
        label={t("deliveries.channel")}
        allLabel={t("deliveries.allChannels")}
        values={ids}
        value={channel}
        nameOf={(id) => names.get(id) ?? `#${id}`}
        onChange={(next) => list.change({ channel: next })}
      />
      <FilterSelect
        label={t("deliveries.status")}
        allLabel={t("deliveries.allStatuses")}
        values={deliveryStatuses}
        value={status}
        nameOf={(each) => t(`deliveries.statuses.${each}`)}
        onChange={(next) => list.change({ status: next })}
      />
      <TargetFilter list={list} />
      {list.isFiltered && (
        <Button variant="ghost" onClick={list.clearFilters}>
          {t("deliveries.clearFilters")}
        </Button>
      )}
    </div>
  );
}

function TargetFilter({ list }: { list: DeliveryList }) {
  const { t } = useTranslation();
  const [picking, setPicking] = useState(false);
  const { target = "" } = list.params;
  const [type, id] = target.split(":");
  const { data } = useTargetQuery(
    { type: type === "agent" ? "agent" : "monitor", id: Number(id) },
    { skip: target === "" },
  );
  const name = target === "" ? t("deliveries.anyTarget") : (data?.name ?? target);
  return (
    <>
      <Button
        aria-haspopup="dialog"
        aria-label={`${t("deliveries.target")}: ${name}`}
        className="max-w-64"
        onClick={() => setPicking(true)}
      >
        <span className="truncate">{name}</span>
      </Button>
      <TargetDialog
        open={picking}
        onOpenChange={setPicking}
        onPick={(picked) => list.change({ target: `${picked.type}:${picked.id}` })}
      />
    </>
  );
}
