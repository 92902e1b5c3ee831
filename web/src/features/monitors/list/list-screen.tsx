import { LostLocations } from "../../../app/locations.tsx";
import { paths } from "../../../app/paths.ts";
import { usePolling } from "../../../app/hooks.ts";
import { useMedia } from "../../../lib/hooks.ts";
import { AddLink } from "../../../lists/add-link.tsx";
import { ListEmpty } from "../../../lists/list-empty.tsx";
import { ListPage } from "../../../lists/list-page.tsx";
import { PulseIcon } from "../../../ui/icons.tsx";
import { useMonitorsQuery } from "../api.ts";
import { useMonitorList } from "./list.ts";
import { MonitorFilters } from "./list-filters.tsx";
import { ImportLink } from "./import-link.tsx";
import { MonitorTable } from "./monitor-table.tsx";

export default function ListScreen() {
  const list = useMonitorList();
  const query = useMonitorsQuery(list.query, { pollingInterval: usePolling() });
  const asCards = useMedia("(width < 48rem)");
  const add = (
    <>
      <ImportLink />
      <AddLink noun="monitors" to={paths.monitorCreate} />
    </>
  );
  return (
    <ListPage
      noun="monitors"
      list={list}
      query={query}
      fallback="fetchMonitors"
      actions={add}
      banner={<LostLocations className="mb-4" />}
      filters={<MonitorFilters list={list} asCards={asCards} />}
      empty={<ListEmpty noun="monitors" list={list} icon={<PulseIcon />} action={add} />}
      frameless={asCards}
    >
      {(page) => <MonitorTable page={page} list={list} asCards={asCards} />}
    </ListPage>
  );
}
