import type { Slo } from "@sonde/proto/http/slos";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { paths } from "../../app/paths.ts";
import { isId } from "../../app/screen.tsx";
import { usePoliciesQuery } from "../../entities/on-call/api.ts";
import { ObjectPage, useObjectId } from "../../lists/object-pages.tsx";
import { refreshed } from "../../lists/overview.tsx";
import { formatDateTime } from "../../lib/format.ts";
import { Alert } from "../../ui/alert.tsx";
import { Card, Entry, Tile, TileRow } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";
import { PulseIcon, TagIcon } from "../../ui/icons.tsx";
import { Time } from "../../ui/time.tsx";
import { useDeleteSloMutation, useSloQuery } from "./api.ts";
import { BudgetBar, budgetTone, BurnText, pages, percentOf, shownBudget, spanOf } from "./budget.tsx";

export function DetailScreen() {
  const id = useObjectId();
  const { currentData, ...query } = useSloQuery(id, { skip: !isId(id), ...refreshed });
  const [remove] = useDeleteSloMutation();
  return (
    <ObjectPage noun="slos" pages={pages} query={{ ...query, data: currentData?.slo }} remove={remove}>
      {(slo) => (
        <>
          {slo.incidentId !== undefined && <OpenIncident id={slo.incidentId} />}
          {slo.policyId !== undefined && <DeletedPolicy id={slo.policyId} />}
          <Budget slo={slo} />
          <Facts slo={slo} />
          <Targets slo={slo} />
        </>
      )}
    </ObjectPage>
  );
}

function OpenIncident({ id }: { id: string }) {
  const { t } = useTranslation();
  return (
    <Alert kind="error">
      <Link to={paths.incident(id)} className="font-medium underline">
        {t("slos.openIncident")}
      </Link>
    </Alert>
  );
}

/** Nothing while the policy exists. */
function DeletedPolicy({ id }: { id: number }) {
  const { t } = useTranslation();
  const { data } = usePoliciesQuery();
  if (data === undefined || data.policies.some((policy) => policy.id === id)) return null;
  return <Alert kind="info">{t("slos.policyDeletedText")}</Alert>;
}

const frames = {
  plain: "border-line bg-surface",
  warn: "border-warn/55 bg-warn-soft",
  down: "border-down/45 bg-down-soft",
};

function Budget({ slo: { sentence, budget, burnRate, exhaustedAt } }: { slo: Slo }) {
  const { t, i18n } = useTranslation();
  if (budget === undefined) return <Alert kind="info">{t("slos.noFigures")}</Alert>;
  const { spentMinutes, noDataMinutes, windowMinutes } = budget;
  const { allowedMinutes, leftMinutes } = shownBudget(budget);
  const span = (minutes: number) => spanOf(minutes, i18n.language);
  const tone = budgetTone(budget);
  const isOver = leftMinutes < 0;
  return (
    <>
      <section aria-label={t("slos.budget")} className={cx("rounded-lg border px-4 py-4 md:px-5", frames[tone])}>
        <p className="text-xl font-semibold tracking-tight">{sentence}</p>
        <BudgetBar budget={budget} className="mt-3" />
        <p className="mt-2 flex flex-wrap gap-x-4 text-[13px]">
          <BurnText rate={burnRate} />
          {exhaustedAt !== undefined && (
            <span>
              {t(isOver ? "slos.spentSince" : "slos.spentAt")} <Time at={exhaustedAt} short />
            </span>
          )}
        </p>
      </section>
      <TileRow className="lg:grid-cols-4">
        <Tile
          label={t("slos.allowed")}
          value={span(allowedMinutes)}
          note={t(windowMinutes === undefined ? "slos.allowedNote" : "slos.windowNote")}
        />
        <Tile label={t("slos.spentTime")} value={span(spentMinutes)} tone={tone} />
        <Tile label={t(isOver ? "slos.over" : "slos.leftTime")} value={span(Math.abs(leftMinutes))} tone={tone} />
        <Tile label={t("slos.noData")} value={span(noDataMinutes)} note={t("slos.noDataNote")} />
      </TileRow>
    </>
  );
}

function Facts({ slo }: { slo: Slo }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const { attained, objective, window, timeZone, from, budget, latency, latencyBudget, target, combine } = slo;
  const number = (value: number) => value.toLocaleString(language);
  return (
    <Card title={t("slos.howCounted")}>
      <dl className="grid gap-x-6 gap-y-4 sm:grid-cols-2 lg:grid-cols-3">
        <Entry name={t("slos.attained")}>
          {t("slos.attainedOf", { attained: percentOf(attained, language), objective: percentOf(objective, language) })}
        </Entry>
        <Entry name={t("slos.fields.window")}>
          {t(`slos.windows.${window}`)}
          {window === "month" && ` (${timeZone})`}
          {from !== undefined && ` · ${t("slos.since", { at: formatDateTime(from, language) })}`}
        </Entry>
        {budget !== undefined && (
          <Entry name={t("slos.slots")}>
            {t("slos.slotsOf", { bad: number(budget.badSlots), seen: number(budget.seenSlots) })}
          </Entry>
        )}
        {target !== undefined && (
          <Entry name={t("slos.worst")}>
            <Link to={paths.monitor(target.id)} className="text-accent-strong hover:underline">
              {target.name}
            </Link>
          </Entry>
        )}
        {target === undefined && combine === "mean" && (
          <Entry name={t("slos.fields.combine")}>{t("slos.combine.mean")}</Entry>
        )}
        {latency !== undefined && (
          <Entry name={t("slos.latencyGoal")}>
            {t("slos.latencyOf", { percent: percentOf(latency.percent, language), ms: number(latency.ms) })}
            {latencyBudget !== undefined && (
              <>
                <BudgetBar budget={latencyBudget.budget} className="mt-1 max-w-72" />
                <span className="block text-[13px] text-muted">
                  {t("slos.attained")}: {percentOf(latencyBudget.attained, language)} ·{" "}
                  <BurnText rate={latencyBudget.burnRate} />
                </span>
              </>
            )}
          </Entry>
        )}
      </dl>
    </Card>
  );
}

function Targets({ slo: { targets, tag } }: { slo: Slo }) {
  const { t } = useTranslation();
  const link = "inline-flex min-h-7 min-w-0 items-center gap-1.5 hover:underline";
  return (
    <Card title={t("slos.targets")}>
      {tag !== undefined && (
        <Link to={`${paths.monitors}?tag=${encodeURIComponent(tag)}`} className={link}>
          <TagIcon className="size-4 text-muted" />
          {t("slos.allWithTag", { tag })}
        </Link>
      )}
      <ul className="grid gap-x-6 sm:grid-cols-2 lg:grid-cols-3">
        {targets?.map(({ id, name }) => (
          <li key={id} className="flex min-w-0">
            <Link to={paths.monitor(id)} className={link}>
              <PulseIcon className="size-4 shrink-0 text-muted" />
              <span className="truncate">{name}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}
