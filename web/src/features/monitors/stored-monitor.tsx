import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { paths } from "../../app/paths.ts";
import { isId, isMissing, Loaded, Missing } from "../../app/screen.tsx";
import { PulseIcon } from "../../ui/icons.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { useMonitorQuery } from "./api.ts";

type StoredMonitorProps = {
  id: number;
  title: string;
  /** Text below the title when the monitor is loaded. */
  describe: (monitor: Monitor) => ReactNode;
  children: (monitor: Monitor) => ReactNode;
};

/** Loads a monitor, always refetched, so that the form starts with changes made in other tabs. */
export function StoredMonitor({ id, title, describe, children }: StoredMonitorProps) {
  const query = useMonitorQuery(id, { skip: !isId(id), refetchOnMountOrArgChange: true });
  const { data, error } = query;
  const missing = isMissing(id, error);
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title={title} description={data === undefined || missing ? undefined : describe(data.monitor)} />
      {missing ? (
        <MissingMonitor error={error} />
      ) : (
        <Loaded query={query} fallback="fetchMonitors" placeholder={<Skeleton className="h-96 w-full" />}>
          {({ monitor }) => children(monitor)}
        </Loaded>
      )}
    </div>
  );
}

export function MissingMonitor({ error }: { error: unknown }) {
  const { t } = useTranslation();
  const back = { back: t("monitor.back"), backTo: paths.monitors };
  return <Missing icon={<PulseIcon />} title={errorText(error, "monitorMissing")} {...back} />;
}
