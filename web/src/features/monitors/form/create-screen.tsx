import { checkTypes } from "@sonde/proto/http/monitors/kinds";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router-dom";
import { paths } from "../../../app/paths.ts";
import { PageHeader } from "../../../ui/page-header.tsx";
import { useCreateMonitorMutation, useUpdateMonitorMutation } from "../api.ts";
import { cloneValues, emptyValues } from "./form-values.ts";
import { MonitorForm } from "./monitor-form.tsx";
import { StoredMonitor } from "../stored-monitor.tsx";

/** An empty form, or with `?clone=<id>` a copy of a stored monitor. */
export default function CreateScreen() {
  const { t } = useTranslation();
  const [params] = useSearchParams();
  const clone = params.get("clone");
  if (clone !== null) {
    return (
      <StoredMonitor
        id={Number(clone)}
        title={t("monitorForm.cloneTitle")}
        describe={({ name }) => t("monitorForm.cloneText", { name })}
      >
        {(monitor) => <CreateForm key={clone} cloned={monitor} />}
      </StoredMonitor>
    );
  }
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title={t("monitorForm.createTitle")} />
      <CreateForm />
    </div>
  );
}

function CreateForm({ cloned }: { cloned?: Monitor }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [create] = useCreateMonitorMutation();
  const [update] = useUpdateMonitorMutation();
  /** Id of the monitor if it was created but its notification settings were not saved. The next attempt updates it. */
  const createdId = useRef<number>(undefined);
  const cloneOf = cloned?.id;
  return (
    <MonitorForm
      initial={cloned ? cloneValues(cloned, t("monitorForm.cloneName", { name: cloned.name })) : emptyValues}
      initialType={cloned?.type ?? checkTypes[0]}
      cloneOf={cloneOf}
      fallback="createMonitor"
      labels={{ submit: t("monitorForm.create"), saving: t("monitorForm.creating") }}
      onSave={async (input) => {
        const id = createdId.current;
        const saving = id === undefined ? create({ input, cloneOf }) : update({ id, input });
        const { message, monitor } = await saving.unwrap();
        createdId.current = monitor.id;
        const state = { notice: message };
        return { id: monitor.id, leave: () => void navigate(paths.monitor(monitor.id), { state, replace: true }) };
      }}
      onCancel={() => void navigate(cloneOf === undefined ? paths.monitors : paths.monitor(cloneOf))}
    />
  );
}
