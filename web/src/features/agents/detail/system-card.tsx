import type { Agent } from "@sonde/proto/http/agents/agents";
import { useTranslation } from "react-i18next";
import { formatDuration, formatNumber, formatSpan } from "../../../lib/format.ts";
import { formatBytes } from "../../../lib/measures.ts";
import { Card, Entry } from "../../../ui/card.tsx";
import { Time } from "../../../ui/time.tsx";

/** What the machine is, and what is known of its agent. */
export function SystemCard({ agent }: { agent: Agent }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const { hostname, ipAddresses, os, version, interval, uptime, lastSeen, createdAt, updatedAt, latest } = agent;
  const { cpu, memory, containers, footprint } = latest ?? {};
  const swap = memory?.swapTotal ?? 0;
  return (
    <Card title={t("agent.system")}>
      <dl className="grid gap-x-8 gap-y-3 sm:grid-cols-2 lg:grid-cols-3">
        <Entry name={t("agents.hostname")}>{hostname}</Entry>
        <Entry name={t("agent.addresses")}>
          <ul className="font-mono text-[13px] break-all">
            {ipAddresses.length === 0 ? <li>–</li> : ipAddresses.map((address) => <li key={address}>{address}</li>)}
          </ul>
        </Entry>
        <Entry name={t("agents.os")}>{os}</Entry>
        <Entry name={t("agent.agentVersion")}>{version}</Entry>
        <Entry name={t("agent.processor")}>{cpu?.model ?? "–"}</Entry>
        <Entry name={t("agent.coreCount")}>{cpu?.cores === undefined ? "–" : formatNumber(cpu.cores, language)}</Entry>
        <Entry name={t("agent.memoryTotal")}>{formatBytes(memory?.total, language)}</Entry>
        <Entry name={t("agent.memoryUsed")}>{formatBytes(memory?.used, language)}</Entry>
        <Entry name={t("agent.memoryFree")}>{formatBytes(memory?.free, language)}</Entry>
        {memory?.available !== undefined && (
          <Entry name={t("agent.memoryAvailable")}>{formatBytes(memory.available, language)}</Entry>
        )}
        {swap > 0 && (
          <Entry name={t("agent.swap")}>
            {t("agent.usedOf", { used: formatBytes(memory?.swapUsed, language), total: formatBytes(swap, language) })}
          </Entry>
        )}
        <Entry name={t("agent.interval")}>{formatDuration(interval * 1000, language)}</Entry>
        <Entry name={t("agent.uptime")}>{uptime === null ? "–" : formatSpan(uptime * 1000, language)}</Entry>
        {/* Computed from the sample that has the uptime, so that it does not change between two reports. */}
        {latest?.uptime !== undefined && (
          <Entry name={t("agent.booted")}>
            <Time at={new Date(Date.parse(latest.at) - latest.uptime * 1000).toISOString()} />
          </Entry>
        )}
        {containers !== undefined && <Entry name={t("agent.containers")}>{formatNumber(containers, language)}</Entry>}
        {footprint !== undefined && <Entry name={t("agent.footprint")}>{formatBytes(footprint.rss, language)}</Entry>}
        <Entry name={t("agent.lastSeen")}>{lastSeen === null ? t("agent.never") : <Time at={lastSeen} />}</Entry>
        <Entry name={t("agent.updated")}>
          <Time at={updatedAt} />
        </Entry>
        <Entry name={t("agent.created")}>
          <Time at={createdAt} />
        </Entry>
      </dl>
    </Card>
  );
}
