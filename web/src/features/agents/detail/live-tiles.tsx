import type { Agent } from "@sonde/proto/http/agents/agents";
import { useTranslation } from "react-i18next";
import { formatSpan } from "../../../lib/format.ts";
import { formatBytes, formatFigure, formatUsage } from "../../../lib/measures.ts";
import { Tile, TileRow } from "../../../ui/card.tsx";
import { fullestDisk, type ThresholdMetric, type Thresholds, usagesOf, usageTone } from "../thresholds/usage-tone.ts";

/** The newest sample in five figures; they move with every report. */
export function LiveTiles({ agent, thresholds }: { agent: Agent; thresholds: Thresholds }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const { status, latest, uptime } = agent;
  const cpu = latest?.cpu;
  const memory = latest?.memory;
  const load = latest?.load;
  const disk = fullestDisk(latest);
  const usages = usagesOf(agent);
  const tone = (metric: ThresholdMetric) =>
    status === "online" ? usageTone(usages[metric], thresholds[metric]) : "plain";
  return (
    <TileRow className="sm:grid-cols-3 lg:grid-cols-5 max-sm:[&>:last-child]:col-span-2">
      <Tile
        label={t("agents.cpu")}
        value={formatUsage(cpu?.usage, language)}
        tone={tone("cpu")}
        note={cpu?.cores === undefined ? null : t("agent.cores", { count: cpu.cores })}
      />
      <Tile
        label={t("agents.memory")}
        value={formatUsage(memory?.usage, language)}
        tone={tone("memory")}
        note={memory === undefined ? null : <UsedOf used={memory.used} total={memory.total} />}
      />
      <Tile
        label={
          <>
            {t("agent.fullest")}
            {disk !== undefined && <span className="font-mono text-[12px] text-faint"> {disk.mountPoint}</span>}
          </>
        }
        value={formatUsage(disk?.usage, language)}
        tone={tone("disk")}
        note={disk === undefined ? null : <UsedOf used={disk.used} total={disk.total} />}
      />
      <Tile
        label={t("agent.load")}
        value={formatFigure(load?.one, language)}
        note={
          load === undefined
            ? null
            : `${t("agent.loadNote")}: ${[load.one, load.five, load.fifteen].map((each) => formatFigure(each, language)).join(" ")}`
        }
      />
      <Tile label={t("agent.uptime")} value={uptime === null ? "–" : formatSpan(uptime * 1000, language)} />
    </TileRow>
  );
}

function UsedOf({ used, total }: { used: number; total: number }) {
  const { t, i18n } = useTranslation();
  return t("agent.usedOf", { used: formatBytes(used, i18n.language), total: formatBytes(total, i18n.language) });
}
