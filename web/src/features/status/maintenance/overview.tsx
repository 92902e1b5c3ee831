import { useState } from "react";
import { useTranslation } from "react-i18next";
import { DeleteDialog } from "../../../lists/delete-dialog.tsx";
import { PauseIcon } from "../../../ui/icons.tsx";
import { mostOpen, Overview, pastPageSize, refreshed } from "../overview.tsx";
import { planPath } from "./addresses.ts";
import { type Maintenance, useMaintenanceListQuery, useRemoveMaintenanceMutation } from "./api.ts";
import { EndDialog } from "./end-dialog.tsx";
import { WindowRow } from "./row.tsx";

const none = { running: "noRunning", scheduled: "noScheduled", ended: "noEnded" } as const;

/** What is in maintenance now, what will be, and what was. */
export function MaintenanceOverview() {
  const [page, setPage] = useState(1);
  const [toDelete, setToDelete] = useState<Maintenance | null>(null);
  const [toEnd, setToEnd] = useState<Maintenance | null>(null);
  const [remove] = useRemoveMaintenanceMutation();
  const running = useSection("running", 1, mostOpen);
  const scheduled = useSection("scheduled", 1, mostOpen);
  const ended = { ...useSection("ended", page, pastPageSize), paging: { page, onPage: setPage } };
  return (
    <Overview
      noun="maintenance"
      icon={<PauseIcon />}
      addTo={planPath}
      sections={[running, scheduled, ended]}
      row={(window) => (
        <WindowRow
          key={window.id}
          window={window}
          onDelete={() => setToDelete(window)}
          onEnd={() => setToEnd(window)}
        />
      )}
      dialogs={(onDone) => (
        <>
          <EndDialog target={toEnd} onClose={() => setToEnd(null)} onEnded={onDone} />
          <DeleteDialog
            target={toDelete}
            onClose={() => setToDelete(null)}
            onDeleted={onDone}
            noun="maintenance"
            fallback="deleteMaintenance"
            remove={remove}
          />
        </>
      )}
    />
  );
}

function useSection(status: keyof typeof none, page: number, pageSize: number) {
  const { t } = useTranslation();
  const query = useMaintenanceListQuery({ status, page, pageSize }, refreshed);
  return {
    query,
    title: t(`maintenance.${status}`),
    none: t(`maintenance.${none[status]}`),
    items: query.data?.maintenance,
    total: query.data?.total,
  };
}
