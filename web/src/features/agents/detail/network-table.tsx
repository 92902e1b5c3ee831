import type { Sample } from "@sonde/proto/http/agents/agents";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../../lib/format.ts";
import { formatBytes, formatRate } from "../../../lib/measures.ts";
import { Cell, HeadCell, Row, Table } from "../../../lists/table.tsx";

type Interface = NonNullable<Sample["network"]>[number];

export function NetworkTable({ interfaces }: { interfaces: readonly Interface[] }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  return (
    <div className="-mx-4 -mt-3 md:-mx-5">
      <Table label={t("agent.network")}>
        <thead>
          <tr>
            <HeadCell>{t("agent.interface")}</HeadCell>
            <HeadCell numeric>{t("agent.receiveRate")}</HeadCell>
            <HeadCell numeric>{t("agent.sendRate")}</HeadCell>
            <HeadCell numeric>{t("agent.received")}</HeadCell>
            <HeadCell numeric>{t("agent.sent")}</HeadCell>
            <HeadCell numeric>{t("agent.packetsReceived")}</HeadCell>
            <HeadCell numeric>{t("agent.packetsSent")}</HeadCell>
          </tr>
        </thead>
        <tbody>
          {interfaces.map((each) => (
            <Row key={each.interface}>
              <Cell className="font-mono text-[13px] font-medium">{each.interface}</Cell>
              <Cell numeric>{formatRate(each.receiveRate, language)}</Cell>
              <Cell numeric>{formatRate(each.sendRate, language)}</Cell>
              <Cell numeric>{formatBytes(each.received, language)}</Cell>
              <Cell numeric>{formatBytes(each.sent, language)}</Cell>
              <Cell numeric>{formatNumber(each.packetsReceived, language)}</Cell>
              <Cell numeric>{formatNumber(each.packetsSent, language)}</Cell>
            </Row>
          ))}
        </tbody>
      </Table>
    </div>
  );
}
