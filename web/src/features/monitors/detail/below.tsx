import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import NotificationsCard from "../../../entities/notifications/notifications-card.tsx";
import { NoteCard } from "../../../entities/targets/target-line.tsx";
import { Configuration } from "./configuration.tsx";
import { LocationsCard } from "./locations-card.tsx";
import type { DetailParams, HistoryQuery } from "./params.ts";
import { RecordsCard } from "./records-card.tsx";

type BelowProps = { monitor: Monitor; params: DetailParams; listed: HistoryQuery };

/** Content below the fold, in its own chunk so that the page is usable earlier. */
export default function BelowHistory({ monitor, params, listed }: BelowProps) {
  const { id, locations = [], status, note, dependsOn } = monitor;
  return (
    <>
      {locations.length > 1 && <LocationsCard id={id} listed={listed} />}
      <RecordsCard monitor={monitor} params={params} listed={listed} />
      {/* While the monitor is down, the panel at the top shows the note. */}
      {status !== "down" && <NoteCard note={note} />}
      <NotificationsCard target={{ type: "monitor", id }} dependsOn={dependsOn} />
      <Configuration monitor={monitor} />
    </>
  );
}
