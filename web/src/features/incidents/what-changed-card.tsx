import type { FingerprintFact, PrecedingEvent, WhatChanged } from "@sonde/proto/http/incidents/explanation";
import type { Fingerprint } from "@sonde/proto/http/incidents/fingerprint";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { useFieldNames } from "../../entities/audit/field-name.ts";
import { SourceLink } from "../../entities/incidents/severity.tsx";
import { formatDuration, formatNumber, none } from "../../lib/format.ts";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";
import { EditIcon, SwapIcon, TagIcon, WrenchIcon } from "../../ui/icons.tsx";
import { Time } from "../../ui/time.tsx";

type Pair = { lastGood: Fingerprint; firstBad: Fingerprint };

const eventIcons = { edit: EditIcon, change: TagIcon, maintenance: WrenchIcon };

export default function WhatChangedCard({ changed }: { changed: WhatChanged }) {
  const { t } = useTranslation();
  const { location, lastGood, firstBad, events } = changed;
  const isComparable = lastGood !== undefined && firstBad !== undefined;
  return (
    <Card
      title={t("whatChanged.title")}
      actions={
        isComparable && (
          <span className="text-[13px] text-muted">{t("whatChanged.from", { location: location ?? "" })}</span>
        )
      }
      gap="gap-4"
    >
      {isComparable && <Comparison pair={{ lastGood, firstBad }} differences={changed.differences} />}
      {events.length > 0 && <Events events={events} />}
    </Card>
  );
}

function Comparison({ pair, differences }: { pair: Pair; differences: readonly FingerprintFact[] }) {
  const { t } = useTranslation();
  // The size of a body stands for it unless only the hash differs.
  const differing = differences.filter((fact) => fact !== "bodyHash" || !differences.includes("bodyBytes"));
  const others = (Object.keys({ ...pair.lastGood, ...pair.firstBad }) as (keyof Fingerprint)[]).filter(
    (fact) => fact !== "at" && fact !== "bodyHash" && !differing.includes(fact),
  ) as FingerprintFact[];
  return (
    <div>
      {differing.length === 0 ? (
        <p>{t("whatChanged.noDifference")}</p>
      ) : (
        <Facts pair={pair} facts={differing} isDifferent />
      )}
      {others.length > 0 && (
        <details className="mt-2">
          <summary className="inline-flex min-h-6 items-center text-[13px] text-accent-strong">
            {t("whatChanged.others", { count: others.length })}
          </summary>
          <Facts pair={pair} facts={others} />
        </details>
      )}
    </div>
  );
}

type FactsProps = { pair: Pair; facts: readonly FingerprintFact[]; isDifferent?: boolean };

function Facts({ pair: { lastGood, firstBad }, facts: shown, isDifferent = false }: FactsProps) {
  const { t, i18n } = useTranslation();
  const cell = "px-1 py-1.5 align-top break-words";
  return (
    <table className="w-full table-fixed border-collapse text-left text-[13px]">
      <thead className="text-muted">
        <tr>
          <th className={cx(cell, "w-[28%] pl-0 font-normal")}>
            <span className="sr-only">{t("whatChanged.fact")}</span>
          </th>
          {(["lastGood", "firstBad"] as const).map((side) => (
            <th key={side} scope="col" className={cx(cell, "font-normal")}>
              {t(`whatChanged.${side}`)}{" "}
              <span className="block">
                <Time at={(side === "lastGood" ? lastGood : firstBad).at} short />
              </span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {shown.map((fact) => (
          <tr key={fact} className="border-t border-line">
            <th scope="row" className={cx(cell, "pl-0", isDifferent ? "font-semibold" : "font-normal text-muted")}>
              <span className="inline-flex items-start gap-1">
                {isDifferent && <SwapIcon className="mt-0.5 size-3.5 shrink-0 text-down-ink" />}
                {t(`whatChanged.facts.${fact}`)}
                {isDifferent && <span className="sr-only">{t("whatChanged.differs")}</span>}
              </span>
            </th>
            <td className={cell}>{textOf(lastGood, fact, t, i18n.language)}</td>
            <td className={cx(cell, isDifferent && "font-medium text-down-ink")}>
              {textOf(firstBad, fact, t, i18n.language)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function textOf(seen: Fingerprint, fact: FingerprintFact, t: TFunction, language: string): string {
  switch (fact) {
    case "addresses":
      return seen.addresses?.join(", ") ?? none;
    case "names":
    case "redirects":
      return seen[fact]?.join(" → ") || none;
    case "certificate":
      return seen.certificate === undefined ? none : `${seen.certificate.issuer} · ${seen.certificate.serial}`;
    case "bodyBytes":
      return seen.bodyBytes === undefined
        ? none
        : t("whatChanged.bytes", { count: seen.bodyBytes, number: formatNumber(seen.bodyBytes, language) });
    case "timings":
      return Object.entries(seen.timings ?? {})
        .filter(([, ms]) => ms > 0)
        .map(([phase, ms]) => `${t(`whatChanged.phases.${phase as keyof Timings}`)} ${formatDuration(ms, language)}`)
        .join(", ");
    default:
      return String(seen[fact] ?? none);
  }
}

function Events({ events }: { events: readonly PrecedingEvent[] }) {
  const { t } = useTranslation();
  const namesOf = useFieldNames("monitor");
  return (
    <div>
      <h3 className="mb-1 text-[13px] text-muted">{t("whatChanged.before")}</h3>
      <ul className="flex flex-col gap-1.5">
        {events.map(({ at, type, text, link, fields }, index) => {
          const Icon = eventIcons[type];
          return (
            <li key={index} className="gap-x-4 sm:flex sm:justify-between">
              <span className="flex min-w-0 items-start gap-2">
                <Icon className="mt-1 size-3.5 shrink-0 text-muted" />
                <span className="min-w-0 break-words">
                  {link !== undefined && <SourceLink link={link}>{text}</SourceLink>}
                  {link === undefined &&
                    (fields === undefined ? text : t("whatChanged.edited", { text, fields: namesOf(fields) }))}
                </span>
              </span>
              <span className="block shrink-0 text-[13px] text-faint max-sm:pl-5.5">
                <Time at={at} short />
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
