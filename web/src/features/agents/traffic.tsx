import type { Sample } from "@sonde/proto/http/agents/agents";
import { useTranslation } from "react-i18next";
import { formatRate } from "../../lib/measures.ts";
import { cx } from "../../ui/cx.ts";
import { ArrowDownIcon, ArrowUpIcon } from "../../ui/icons.tsx";

const directions = [
  { id: "receive", rate: "receiveRate", Icon: ArrowDownIcon },
  { id: "send", rate: "sendRate", Icon: ArrowUpIcon },
] as const;

type TrafficProps = {
  /** In a list the busiest interface is the only one. */
  network: Sample["network"];
  className?: string;
};

/** What the busiest interface receives and sends. */
export function Traffic({ network, className }: TrafficProps) {
  const { t, i18n } = useTranslation();
  const busiest = network?.[0];
  if (busiest === undefined) return <span className={className}>–</span>;
  return (
    <span title={busiest.interface} className={cx("tnum flex", className)}>
      {directions.map(({ id, rate, Icon }) => (
        <span key={id} className="flex items-center gap-0.5 whitespace-nowrap">
          <Icon className="size-3 shrink-0 text-faint" />
          <span className="sr-only">{t(`agent.${id}`)} </span>
          {formatRate(busiest[rate], i18n.language)}
        </span>
      ))}
    </span>
  );
}
