import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import NotificationsCard from "../../../entities/notifications/notifications-card.tsx";
import { NoteCard } from "../../../entities/targets/target-line.tsx";
import { Configuration } from "./configuration.tsx";
import { LocationsCard } from "./locations-card.tsx";
import type { DetailParams, ListedAsked } from "./params.ts";
import { RecordsCard } from "./records-card.tsx";

type BelowProps = { monitor: Monitor; params: DetailParams; listed: ListedAsked };

/** What is below the fold: the page is of use before it is here. */
export default function BelowHistory({ monitor, params, listed }: BelowProps) {
  const { id, locations = [], status, note, dependsOn } = monitor;
  return (
    <>
      {locations.length > 1 && <LocationsCard id={id} listed={listed} />}
      <RecordsCard monitor={monitor} params={params} listed={listed} />
      {/* While it is down, the panel on top has it. */}
      {status !== "down" && <NoteCard note={note} />}
      <NotificationsCard target={{ type: "monitor", id }} dependsOn={dependsOn} />
      <Configuration monitor={monitor} />
    </>
  );
}
