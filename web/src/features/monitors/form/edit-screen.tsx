import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router-dom";
import { ManagedForm } from "../../../entities/managed/managed-form.tsx";
import { paths } from "../../../app/paths.ts";
import { useUpdateMonitorMutation } from "../api.ts";
import { toValues } from "./form-values.ts";
import { MonitorForm } from "./monitor-form.tsx";
import { StoredMonitor } from "../stored-monitor.tsx";

export default function EditScreen() {
  const { t } = useTranslation();
  const id = Number(useParams()["id"]);
  return (
    <StoredMonitor id={id} title={t("monitorForm.editTitle")} describe={({ name }) => name}>
      {(monitor) => <EditForm key={id} monitor={monitor} />}
    </StoredMonitor>
  );
}

function EditForm({ monitor }: { monitor: Monitor }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [update] = useUpdateMonitorMutation();
  const { id } = monitor;
  return (
    <ManagedForm managed={monitor.managed} kind="monitor">
      <MonitorForm
        initial={toValues(monitor)}
        initialType={monitor.type}
        monitorId={id}
        fallback="updateMonitor"
        labels={{ submit: t("monitorForm.save"), saving: t("monitorForm.saving") }}
        onSave={async (input) => {
          const { message } = await update({ id, input }).unwrap();
          return { id, leave: () => void navigate(paths.monitor(id), { state: { notice: message } }) };
        }}
        onCancel={() => void navigate(paths.monitor(id))}
      />
    </ManagedForm>
  );
}
