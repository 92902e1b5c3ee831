import { useTranslation } from "react-i18next";
import { usePolling } from "../../app/hooks.ts";
import { DataTable } from "../../lists/data-table.tsx";
import { ListEmpty } from "../../lists/list-empty.tsx";
import { ListPage } from "../../lists/list-page.tsx";
import { Alert } from "../../ui/alert.tsx";
import { CheckIcon } from "../../ui/icons.tsx";
import { useIncidentsQuery } from "./api.ts";
import { useIncidentColumns } from "./columns.tsx";
import { useIncidentList } from "./list.ts";
import { IncidentFilters } from "./list-filters.tsx";

/** Every incident of monitors and agents. */
export default function ListScreen() {
  const { t } = useTranslation();
  const list = useIncidentList();
  const query = useIncidentsQuery(list.query, { pollingInterval: usePolling(), refetchOnMountOrArgChange: true });
  const columns = useIncidentColumns();
  const away = query.data?.unavailable ?? [];
  return (
    <ListPage
      noun="incidentList"
      list={list}
      query={query}
      fallback="fetchData"
      banner={away.map((producer) => (
        <Alert key={producer} kind="error" className="mb-4">
          {t(`incidentList.away.${producer}`)}
        </Alert>
      ))}
      filters={<IncidentFilters list={list} />}
      // What is away may hold some: only where everybody answered is there really nothing.
      empty={away.length === 0 ? <ListEmpty noun="incidentList" list={list} icon={<CheckIcon />} /> : undefined}
    >
      {(page) => (
        <DataTable
          label={t("incidentList.title")}
          columns={columns}
          items={page?.incidents}
          sort={list.params.sort}
          onSort={(sort) => list.change({ sort })}
        />
      )}
    </ListPage>
  );
}
