import { useSearchParams } from "react-router";
import { Create } from "./create.tsx";
import { Detail } from "./detail.tsx";
import { AnnouncementsOverview } from "./overview.tsx";

/**
 * Announcements: the list; one of them (`announcement=7`); or the form that makes one, empty (`announce=new`) or filled from
 * an automatic incident (`announce=m12`).
 */
export default function AnnouncementsTab() {
  const [params] = useSearchParams();
  const announce = params.get("announce");
  const shown = params.get("announcement");
  if (announce !== null) {
    const incidentId = /^[ma][1-9]\d{0,9}$/.test(announce) ? announce : null;
    return <Create key={announce} incidentId={incidentId} />;
  }
  if (shown !== null) return <Detail key={shown} id={Number(shown)} />;
  return <AnnouncementsOverview />;
}
