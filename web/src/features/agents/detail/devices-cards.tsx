import type { Agent } from "@sonde/proto/http/agents/agents";
import { useTranslation } from "react-i18next";
import { formatBytes, formatCelsius } from "../../../lib/measures.ts";
import { Card } from "../../../ui/card.tsx";
import { Meter } from "../meter.tsx";

/** Temperatures and graphics processors, on machines that have them. */
export function DevicesCards({ agent: { latest, status } }: { agent: Agent }) {
  const { t, i18n } = useTranslation();
  const { temperatures = [], gpus = [] } = latest ?? {};
  if (temperatures.length === 0 && gpus.length === 0) return null;
  return (
    <div className="grid gap-4 md:grid-cols-2">
      {temperatures.length > 0 && (
        <Card title={t("agent.temperatures")}>
          <dl className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-6 gap-y-1.5">
            {temperatures.map(({ sensor, celsius }, index) => (
              <div key={`${sensor} ${index}`} className="contents">
                <dt className="truncate text-muted">{sensor}</dt>
                <dd className="tnum font-medium">{formatCelsius(celsius, i18n.language)}</dd>
              </div>
            ))}
          </dl>
        </Card>
      )}
      {gpus.length > 0 && (
        <Card title={t("agent.gpus")}>
          <ul className="flex flex-col gap-3">
            {gpus.map(({ name, usage, memoryUsed, memoryTotal }, index) => (
              <li key={`${name} ${index}`}>
                <p className="mb-1 font-medium">{name}</p>
                <Meter label={t("agent.usage")} percent={usage} old={status !== "online"} />
                {memoryUsed !== undefined && memoryTotal !== undefined && (
                  <p className="tnum mt-1 text-[13px] text-faint">
                    {t("agent.usedOf", {
                      used: formatBytes(memoryUsed, i18n.language),
                      total: formatBytes(memoryTotal, i18n.language),
                    })}
                  </p>
                )}
              </li>
            ))}
          </ul>
        </Card>
      )}
    </div>
  );
}
