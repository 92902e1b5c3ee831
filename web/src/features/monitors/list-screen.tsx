import { LostLocations } from "../../app/lost-locations.tsx";
import { paths } from "../../app/paths.ts";
import { usePolling } from "../../app/polling.ts";
import { ListEmpty } from "../../lists/list-empty.tsx";
import { ListPage } from "../../lists/list-page.tsx";
import { PulseIcon } from "../../ui/icons.tsx";
import { useMonitorsQuery } from "./api.ts";
import { useMonitorList } from "./list.ts";
import { MonitorFilters } from "./list-filters.tsx";
import { MonitorTable } from "./monitor-table.tsx";

export default function ListScreen() {
  const list = useMonitorList();
  const query = useMonitorsQuery(list.query, { pollingInterval: usePolling() });
  return (
    <ListPage
      noun="monitors"
      list={list}
      query={query}
      fallback="fetchMonitors"
      addTo={paths.monitorCreate}
      banner={<LostLocations className="mb-4" />}
      filters={<MonitorFilters list={list} />}
      empty={<ListEmpty noun="monitors" list={list} icon={<PulseIcon />} addTo={paths.monitorCreate} />}
    >
      {(page) => <MonitorTable monitors={page?.monitors} list={list} />}
    </ListPage>
  );
}
