import type { Monitor } from "@sonde/proto/http/monitors";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router-dom";
import { errorText, statusOf } from "../../app/errors.ts";
import { paths } from "../../app/paths.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { PulseIcon } from "../../ui/icons.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states.tsx";
import { useMonitorQuery, useUpdateMonitorMutation } from "./api.ts";
import { toValues } from "./form-values.ts";
import { MonitorForm } from "./monitor-form.tsx";

export default function EditScreen() {
  const { t } = useTranslation();
  const id = Number(useParams()["id"]);
  const known = Number.isInteger(id) && id > 0;
  // What another tab changed meanwhile is what should be edited.
  const { data, error, isFetching, refetch } = useMonitorQuery(id, { skip: !known, refetchOnMountOrArgChange: true });
  const missing = !known || statusOf(error) === 404;
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title={t("monitorForm.editTitle")} description={data?.monitor.name} />
      {missing ? (
        <Card>
          <EmptyState
            icon={<PulseIcon />}
            title={<span role="alert">{errorText(error, "monitorMissing")}</span>}
            action={<ButtonLink to={paths.monitors}>{t("monitor.back")}</ButtonLink>}
          />
        </Card>
      ) : data !== undefined ? (
        <EditForm key={id} monitor={data.monitor} />
      ) : error === undefined ? (
        <Skeleton className="h-96 w-full" />
      ) : (
        <Card>
          <ErrorState
            message={errorText(error, "fetchMonitors")}
            onRetry={() => void refetch()}
            retrying={isFetching}
          />
        </Card>
      )}
    </div>
  );
}

function EditForm({ monitor }: { monitor: Monitor }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [update] = useUpdateMonitorMutation();
  const { id } = monitor;
  return (
    <MonitorForm
      initial={toValues(monitor)}
      initialType={monitor.type}
      monitorId={id}
      fallback="updateMonitor"
      labels={{ submit: t("monitorForm.save"), saving: t("monitorForm.saving") }}
      onSave={async (input) => {
        const { message } = await update({ id, input }).unwrap();
        return () => void navigate(paths.monitor(id), { state: { notice: message } });
      }}
      onCancel={() => void navigate(paths.monitor(id))}
    />
  );
}
