import type { Maintenance } from "@sonde/proto/http/status/maintenance";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { planPath } from "../../../app/paths.ts";
import { useEndMaintenanceMutation, useMaintenanceListQuery, useRemoveMaintenanceMutation } from "./api.ts";
import { WindowRow } from "./row.tsx";
import { mostOpen, Overview, pastPageSize, refreshed } from "../overview.tsx";
import { DeleteDialog } from "../../../lists/delete-dialog.tsx";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { PauseIcon } from "../../../ui/icons.tsx";

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

type EndDialogProps = {
  /** What is to be ended; null: the dialog is closed. */
  target: { id: number; name: string } | null;
  onClose: () => void;
  onEnded: (message: string) => void;
};

/** Asks before what runs is ended: what is still down is alerted then. */
export function EndDialog({ target, onClose, onEnded }: EndDialogProps) {
  const { t } = useTranslation();
  const [end] = useEndMaintenanceMutation();
  return (
    <ConfirmDialog
      open={target !== null}
      onOpenChange={(open) => !open && onClose()}
      title={t("maintenance.endTitle")}
      description={t("maintenance.endText", { name: target?.name ?? "" })}
      confirmLabel={t("maintenance.endNow")}
      savingLabel={t("maintenance.endingNow")}
      onConfirm={async () => {
        if (target === null) return;
        const { data, error } = await end(target.id);
        if (error !== undefined) throw new Error(errorText(error, "endMaintenance"));
        onEnded(data.message ?? t("maintenance.endDone"));
      }}
    />
  );
}
