import type { Monitor } from "@sonde/proto/http/monitors";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { errorText, statusOf } from "../../app/errors.ts";
import { paths } from "../../app/paths.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { PulseIcon } from "../../ui/icons.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states.tsx";
import { useMonitorQuery } from "./api.ts";

type StoredMonitorProps = {
  id: number;
  title: string;
  /** Below the title, once the monitor is here. */
  describe: (monitor: Monitor) => ReactNode;
  children: (monitor: Monitor) => ReactNode;
};

/** A page about a stored monitor, which is asked for anew: what another tab changed meanwhile is what should be edited. */
export function StoredMonitor({ id, title, describe, children }: StoredMonitorProps) {
  const { t } = useTranslation();
  const known = Number.isInteger(id) && id > 0;
  const { data, error, isFetching, refetch } = useMonitorQuery(id, { skip: !known, refetchOnMountOrArgChange: true });
  const missing = !known || statusOf(error) === 404;
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title={title} description={data === undefined || missing ? undefined : describe(data.monitor)} />
      {missing ? (
        <Card>
          <EmptyState
            icon={<PulseIcon />}
            title={<span role="alert">{errorText(error, "monitorMissing")}</span>}
            action={<ButtonLink to={paths.monitors}>{t("monitor.back")}</ButtonLink>}
          />
        </Card>
      ) : data !== undefined ? (
        children(data.monitor)
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
