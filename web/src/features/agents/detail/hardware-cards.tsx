import type { Agent, Sample } from "@sonde/proto/http/agents/agents";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatDuration, formatNumber, formatSpan } from "../../../lib/format.ts";
import { formatBytes, formatCelsius, formatRate, formatUsage } from "../../../lib/measures.ts";
import { type Column, DataTable } from "../../../lists/data-table.tsx";
import { Card, Entry } from "../../../ui/card.tsx";
import { EmptyState } from "../../../ui/states.tsx";
import { Tabs } from "../../../ui/tabs.tsx";
import { Time } from "../../../ui/time.tsx";
import { Bar, Meter, type Thresholds } from "../meter.tsx";
import { useOutdated } from "../outdated.tsx";

export function HardwareCard({ agent: { latest }, thresholds }: { agent: Agent; thresholds: Thresholds }) {
  const { t } = useTranslation();
  const [view, setView] = useState<"disks" | "network">("disks");
  const { disks = [], network = [] } = latest ?? {};
  const diskTable = <DiskTable disks={disks} threshold={thresholds.disk} />;
  const networkTable = <NetworkTable interfaces={network} />;
  return (
    <Card>
      <Tabs
        label={t("agents.viewLabel")}
        value={view}
        onChange={setView}
        tabs={[
          {
            value: "disks",
            label: `${t("agent.disks")} (${disks.length})`,
            content: disks.length === 0 ? <EmptyState title={t("agent.noDisks")} /> : diskTable,
          },
          {
            value: "network",
            label: `${t("agent.network")} (${network.length})`,
            content: network.length === 0 ? <EmptyState title={t("agent.noNetwork")} /> : networkTable,
          },
        ]}
      />
    </Card>
  );
}

function DiskTable({ disks, threshold }: { disks: NonNullable<Sample["disks"]>; threshold: number | null }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const items = disks.map((disk) => ({ ...disk, id: `${disk.mountPoint} ${disk.device}` }));
  const columns: Column<(typeof items)[number]>[] = [
    {
      head: t("agent.mountPoint"),
      className: "font-mono text-[13px] font-medium whitespace-nowrap",
      cell: ({ mountPoint }) => mountPoint,
    },
    {
      head: t("agent.device"),
      className: "font-mono text-[13px] whitespace-nowrap text-muted",
      cell: ({ device }) => device,
    },
    { head: t("agent.fsType"), className: "text-muted", cell: ({ fsType }) => fsType },
    ...(["total", "used", "free"] as const).map((size) => ({
      head: t(`agent.${size}`),
      numeric: true,
      cell: (disk: (typeof items)[number]) => formatBytes(disk[size], language),
    })),
    {
      head: t("agent.usage"),
      numeric: true,
      cell: ({ usage }) => (
        <span className="inline-grid w-28 grid-cols-[minmax(0,1fr)_3.5rem] items-center gap-2">
          <Bar percent={usage} threshold={threshold} />
          <span>{formatUsage(usage, language)}</span>
        </span>
      ),
    },
  ];
  if (disks.some(({ inodesTotal }) => inodesTotal !== undefined)) {
    columns.push({
      head: t("agent.inodes"),
      numeric: true,
      className: "text-muted",
      cell: ({ inodesUsed: used, inodesTotal: total }) =>
        used === undefined || total === undefined
          ? "–"
          : `${formatNumber(used, language)} / ${formatNumber(total, language)}`,
    });
  }
  return (
    <div className="-mx-4 -mt-3 md:-mx-5">
      <DataTable label={t("agent.disks")} columns={columns} items={items} />
    </div>
  );
}

type InterfaceFigure = "receiveRate" | "sendRate" | "received" | "sent" | "packetsReceived" | "packetsSent";

function NetworkTable({ interfaces }: { interfaces: NonNullable<Sample["network"]> }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const items = interfaces.map((each) => ({ ...each, id: each.interface }));
  type Item = (typeof items)[number];
  const numbers = <Key extends InterfaceFigure>(
    figures: readonly Key[],
    format: (value: Item[Key], language: string) => string,
  ) =>
    figures.map((figure) => ({
      head: t(`agent.${figure as InterfaceFigure}`),
      numeric: true,
      cell: (each: Item) => format(each[figure], language),
    }));
  return (
    <div className="-mx-4 -mt-3 md:-mx-5">
      <DataTable
        label={t("agent.network")}
        columns={[
          { head: t("agent.interface"), className: "font-mono text-[13px] font-medium", cell: ({ id }) => id },
          ...numbers(["receiveRate", "sendRate"], formatRate),
          ...numbers(["received", "sent"], formatBytes),
          ...numbers(["packetsReceived", "packetsSent"], formatNumber),
        ]}
        items={items}
      />
    </div>
  );
}

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

export function SystemCard({ agent }: { agent: Agent }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const { hostname, ipAddresses, os, version, interval, uptime, lastSeen, createdAt, updatedAt, latest } = agent;
  const { cpu, memory, containers, footprint } = latest ?? {};
  const outdated = useOutdated(version);
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
        <Entry name={t("agent.agentVersion")}>
          {version}
          {outdated !== null && <p className="text-[13px] text-warn-ink">{outdated}</p>}
        </Entry>
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
        {/* Computed from the sample with the uptime, so that it does not change between reports. */}
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
