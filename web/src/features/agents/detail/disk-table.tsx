import type { Sample } from "@sonde/proto/http/agents/agents";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../../lib/format.ts";
import { formatBytes, formatUsage } from "../../../lib/measures.ts";
import { Cell, HeadCell, Row, Table } from "../../../lists/table.tsx";
import { Bar } from "../meter.tsx";

type Disk = NonNullable<Sample["disks"]>[number];

type DiskTableProps = {
  disks: readonly Disk[];
  /** Percent; null: no notification. */
  threshold: number | null;
};

export function DiskTable({ disks, threshold }: DiskTableProps) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const hasInodes = disks.some(({ inodesTotal }) => inodesTotal !== undefined);
  return (
    <div className="-mx-4 -mt-3 md:-mx-5">
      <Table label={t("agent.disks")}>
        <thead>
          <tr>
            <HeadCell>{t("agent.mountPoint")}</HeadCell>
            <HeadCell>{t("agent.device")}</HeadCell>
            <HeadCell>{t("agent.fsType")}</HeadCell>
            <HeadCell numeric>{t("agent.total")}</HeadCell>
            <HeadCell numeric>{t("agent.used")}</HeadCell>
            <HeadCell numeric>{t("agent.free")}</HeadCell>
            <HeadCell numeric>{t("agent.usage")}</HeadCell>
            {hasInodes && <HeadCell numeric>{t("agent.inodes")}</HeadCell>}
          </tr>
        </thead>
        <tbody>
          {disks.map((disk) => (
            <Row key={`${disk.mountPoint} ${disk.device}`}>
              <Cell className="font-mono text-[13px] font-medium whitespace-nowrap">{disk.mountPoint}</Cell>
              <Cell className="font-mono text-[13px] whitespace-nowrap text-muted">{disk.device}</Cell>
              <Cell className="text-muted">{disk.fsType}</Cell>
              <Cell numeric>{formatBytes(disk.total, language)}</Cell>
              <Cell numeric>{formatBytes(disk.used, language)}</Cell>
              <Cell numeric>{formatBytes(disk.free, language)}</Cell>
              <Cell numeric>
                <span className="inline-grid w-28 grid-cols-[minmax(0,1fr)_3.5rem] items-center gap-2">
                  <Bar percent={disk.usage} threshold={threshold} />
                  <span>{formatUsage(disk.usage, language)}</span>
                </span>
              </Cell>
              {hasInodes && (
                <Cell numeric className="text-muted">
                  {disk.inodesTotal === undefined || disk.inodesUsed === undefined
                    ? "–"
                    : `${formatNumber(disk.inodesUsed, language)} / ${formatNumber(disk.inodesTotal, language)}`}
                </Cell>
              )}
            </Row>
          ))}
        </tbody>
      </Table>
    </div>
  );
}
