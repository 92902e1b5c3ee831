import type { TracedPath } from "@sonde/proto/http/incidents/explanation";
import { useTranslation } from "react-i18next";
import { formatDuration } from "../../lib/format.ts";
import { Card } from "../../ui/card.tsx";
import { Time } from "../../ui/time.tsx";

/** For each location, the path of its first failure next to that of its last recovery. */
export default function PathCard({ paths }: { paths: readonly TracedPath[] }) {
  const { t } = useTranslation();
  const shown = [...Map.groupBy(paths, ({ location }) => location).values()].flatMap((own) => [
    own.find(({ recovered }) => !recovered),
    own.findLast(({ recovered }) => recovered),
  ]);
  return (
    <Card title={t("tracedPath.title")}>
      <div className="grid gap-4 sm:grid-cols-2">
        {shown.map((path) => path && <Path key={`${path.location} ${path.at}`} path={path} />)}
      </div>
    </Card>
  );
}

function Path({ path: { at, location, address, recovered, hops } }: { path: TracedPath }) {
  const { t, i18n } = useTranslation();
  return (
    <section>
      <h3 className="text-[13px] text-muted">
        {t(recovered ? "tracedPath.recovered" : "tracedPath.failed", { location })} · <Time at={at} short />
      </h3>
      <ol className="tnum mt-1 text-[13px]">
        {hops.map(({ ttl, address: hop, roundTrip }) => (
          <li key={ttl} className="flex gap-2">
            <span className="w-6 shrink-0 text-right text-muted">{ttl}</span>
            {hop === undefined ? (
              <span className="text-muted">{t("tracedPath.silent")}</span>
            ) : (
              <span className="min-w-0 font-mono break-all">{hop}</span>
            )}
            {roundTrip !== undefined && <span className="ml-auto">{formatDuration(roundTrip, i18n.language)}</span>}
          </li>
        ))}
      </ol>
      {hops.at(-1)?.address !== address && <p className="mt-1 text-[13px] text-down-ink">{t("tracedPath.ends")}</p>}
    </section>
  );
}
