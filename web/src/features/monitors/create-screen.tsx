import { checkTypes } from "@sonde/proto/http/kinds";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { paths } from "../../app/paths.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { useCreateMonitorMutation } from "./api.ts";
import { emptyValues } from "./form-values.ts";
import { MonitorForm } from "./monitor-form.tsx";

export default function CreateScreen() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [create] = useCreateMonitorMutation();
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title={t("monitorForm.createTitle")} />
      <MonitorForm
        initial={emptyValues}
        initialType={checkTypes[0]}
        fallback="createMonitor"
        labels={{ submit: t("monitorForm.create"), saving: t("monitorForm.creating") }}
        onSave={async (input) => {
          const { message, monitor } = await create(input).unwrap();
          return () => void navigate(paths.monitor(monitor.id), { state: { notice: message }, replace: true });
        }}
        onCancel={() => void navigate(paths.monitors)}
      />
    </div>
  );
}
