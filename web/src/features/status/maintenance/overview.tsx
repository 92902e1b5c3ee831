import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { useNotice } from "../../../app/notice.ts";
import { AddLink } from "../../../lists/add-link.tsx";
import { DeleteDialog } from "../../../lists/delete-dialog.tsx";
import { Alert } from "../../../ui/alert.tsx";
import { Card } from "../../../ui/card.tsx";
import { PauseIcon } from "../../../ui/icons.tsx";
import { Pagination } from "../../../ui/pagination.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../../ui/states.tsx";
import { type Maintenance, useMaintenanceListQuery, useRemoveMaintenanceMutation } from "./api.ts";
import { EndDialog } from "./end-dialog.tsx";
import { WindowRow } from "./row.tsx";
import { planPath } from "./addresses.ts";

/** The server allows no more that have not ended. */
const mostAhead = 100;
const pastPageSize = 20;
const pollingInterval = 30_000;

/** What is in maintenance now, what will be, and what was. */
export function Overview() {
  const { t } = useTranslation();
  const [notice, setNotice] = useState(useNotice());
  const [page, setPage] = useState(1);
  const [toDelete, setToDelete] = useState<Maintenance | null>(null);
  const [toEnd, setToEnd] = useState<Maintenance | null>(null);
  const [remove] = useRemoveMaintenanceMutation();
  const fresh = { pollingInterval, refetchOnMountOrArgChange: true };
  const lists = {
    running: useMaintenanceListQuery({ status: "running", page: 1, pageSize: mostAhead }, fresh),
    scheduled: useMaintenanceListQuery({ status: "scheduled", page: 1, pageSize: mostAhead }, fresh),
    ended: useMaintenanceListQuery({ status: "ended", page, pageSize: pastPageSize }, fresh),
  };
  const all = Object.values(lists);
  const failed = all.find(({ data, error }) => data === undefined && error !== undefined);
  if (failed !== undefined) {
    const retry = () => void Promise.all(all.map(({ refetch }) => refetch()));
    return (
      <Card>
        <ErrorState
          message={errorText(failed.error, "fetchData")}
          onRetry={retry}
          retrying={all.some(({ isFetching }) => isFetching)}
        />
      </Card>
    );
  }
  if (all.some(({ data }) => data === undefined)) return <Skeleton className="h-64 w-full" />;
  const add = <AddLink noun="maintenance" to={planPath} />;
  const rows = { onDelete: setToDelete, onEnd: setToEnd };
  return (
    <div className="flex flex-col gap-4">
      {notice !== undefined && (
        <Alert key={notice} kind="success">
          {notice}
        </Alert>
      )}
      {all.every(({ data }) => data?.total === 0) ? (
        <Card>
          <EmptyState icon={<PauseIcon />} title={t("maintenance.empty.title")} action={add}>
            {t("maintenance.empty.text")}
          </EmptyState>
        </Card>
      ) : (
        <>
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="min-w-0 flex-1 basis-64 text-muted">{t("maintenance.intro")}</p>
            {add}
          </div>
          <Card title={t("maintenance.running")} flush>
            <Rows {...rows} windows={lists.running.data?.maintenance} none={t("maintenance.noRunning")} />
          </Card>
          <Card title={t("maintenance.scheduled")} flush>
            <Rows {...rows} windows={lists.scheduled.data?.maintenance} none={t("maintenance.noScheduled")} />
          </Card>
          <Card title={t("maintenance.ended")} flush>
            <Rows {...rows} windows={lists.ended.data?.maintenance} none={t("maintenance.noEnded")} />
            <Pagination page={page} pageSize={pastPageSize} total={lists.ended.data?.total ?? 0} onPage={setPage} />
          </Card>
        </>
      )}
      <EndDialog target={toEnd} onClose={() => setToEnd(null)} onEnded={setNotice} />
      <DeleteDialog
        target={toDelete}
        onClose={() => setToDelete(null)}
        onDeleted={setNotice}
        noun="maintenance"
        fallback="deleteMaintenance"
        remove={remove}
      />
    </div>
  );
}

type RowsProps = {
  windows: readonly Maintenance[] | undefined;
  none: string;
  onDelete: (window: Maintenance) => void;
  onEnd: (window: Maintenance) => void;
};

function Rows({ windows = [], none, onDelete, onEnd }: RowsProps) {
  if (windows.length === 0) return <p className="px-4 py-3 text-muted md:px-5">{none}</p>;
  return (
    <ul className="divide-y divide-line">
      {windows.map((window) => (
        <WindowRow key={window.id} window={window} onDelete={() => onDelete(window)} onEnd={() => onEnd(window)} />
      ))}
    </ul>
  );
}
