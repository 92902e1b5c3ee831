import type { monitorAnswer } from "@sonde/proto/http/monitors/monitors";
import type { noiseAnswer, NoiseAlternative, NoiseChange, NoisyMonitor } from "@sonde/proto/http/notifications/noise";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { type AnswerOf, api } from "../../../app/api.ts";
import { errorText, fieldErrorsOf } from "../../../app/errors.ts";
import { useSession } from "../../../app/hooks.ts";
import { put } from "../../../app/mutations.ts";
import { paths } from "../../../app/paths.ts";
import { Loaded } from "../../../app/screen.tsx";
import { useUndo } from "../../../app/undo.ts";
import { useFieldName } from "../../../entities/audit/field-name.ts";
import { lockOf } from "../../../entities/managed/managed-badge.tsx";
import { formatClauses, formatDate, formatList, formatSpan } from "../../../lib/format.ts";
import { Alert, toast } from "../../../ui/alert.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { BellIcon, CheckIcon } from "../../../ui/icons.tsx";
import { EmptyState } from "../../../ui/states.tsx";

type NoiseAnswer = AnswerOf<typeof noiseAnswer>;
type Changed = Pick<AnswerOf<typeof monitorAnswer>["monitor"], NoiseChange["field"]>;

/** Longer than the gateway waits. */
const timeoutMs = 30_000;

const noiseApi = api.injectEndpoints({
  endpoints: (build) => ({
    noise: build.query<NoiseAnswer, void>({ query: () => ({ url: "/notifications/noise", timeout: timeoutMs }) }),
    monitorToChange: build.query<Changed, number>({
      query: (id) => `/monitors/${id}`,
      transformResponse: ({ monitor }: AnswerOf<typeof monitorAnswer>) => monitor,
    }),
    makeNoiseChange: build.mutation<unknown, { id: number; input: Partial<Changed> }>(
      put("/monitors", "Monitor", "MonitorList", "Dashboard"),
    ),
  }),
});

export default function NoiseScreen() {
  const query = noiseApi.useNoiseQuery(undefined, { refetchOnMountOrArgChange: true });
  return <Loaded query={query}>{(noise) => <Bill noise={noise} />}</Loaded>;
}

function Bill({ noise: { from, monitors, nights, unavailable } }: { noise: NoiseAnswer }) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-col gap-4">
      {unavailable !== undefined && <Alert kind="error">{t("noise.unavailable")}</Alert>}
      {monitors.length === 0 ? (
        <Card>
          <EmptyState icon={<BellIcon />} title={t("noise.none")}>
            {t("noise.noneText")}
          </EmptyState>
        </Card>
      ) : (
        <>
          <Sum monitors={monitors} from={from} />
          {monitors.map((monitor) => (
            <Monitor key={monitor.id} monitor={monitor} isCut={monitor.from > from} />
          ))}
        </>
      )}
      <Nights nights={nights} />
    </div>
  );
}

type Effect = Pick<NoiseAlternative, "alerts" | "unreported" | "laterMs"> & { before: number };

const beforeOf = ({ alerts, alertsToday = alerts }: NoisyMonitor) => alertsToday;

function useEffectText(): (effect: Effect) => string {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  return ({ before, alerts, laterMs, unreported }) =>
    formatClauses(
      [
        t("noise.fewer", { before, count: alerts }),
        laterMs < 1000 ? t("noise.sooner") : t("noise.later", { span: formatSpan(laterMs, language) }),
        unreported === 0 ? t("noise.noneMissed") : t("noise.unreported", { count: unreported }),
      ],
      language,
    );
}

function Sum({ monitors, from }: { monitors: readonly NoisyMonitor[]; from: string }) {
  const { t, i18n } = useTranslation();
  const textOf = useEffectText();
  const sum: Effect = { before: 0, alerts: 0, laterMs: 0, unreported: 0 };
  for (const monitor of monitors) {
    const [best] = monitor.alternatives ?? [];
    sum.before += beforeOf(monitor);
    sum.alerts += best?.alerts ?? beforeOf(monitor);
    sum.laterMs = Math.max(sum.laterMs, best?.laterMs ?? 0);
    sum.unreported += best?.unreported ?? 0;
  }
  const helps = sum.alerts < sum.before;
  return (
    <section
      aria-label={t("notifications.noise")}
      className="rounded-lg border border-line bg-surface px-4 py-4 md:px-5"
    >
      <p className="text-[13px] text-muted">{t("noise.period", { from: formatDate(from, i18n.language) })}</p>
      <p className="text-xl font-semibold tracking-tight">{helps ? textOf(sum) : t("noise.nothing")}</p>
      <p className="mt-1 text-[13px] text-muted">
        {helps && `${t("noise.ifAll")} `}
        {t("noise.how")}
      </p>
    </section>
  );
}

function Monitor({ monitor, isCut }: { monitor: NoisyMonitor; isCut: boolean }) {
  const { t, i18n } = useTranslation();
  const [made, setMade] = useState<NoiseChange["field"]>();
  const { id, name, from, incidents, alerts, alertsToday, alternatives, secondOpinions } = monitor;
  const facts = [
    t("noise.counted", { incidents, alerts }),
    alertsToday !== undefined && t("noise.today", { count: alertsToday }),
    isCut && t("noise.since", { at: formatDate(from, i18n.language) }),
  ].filter((fact) => fact !== false);
  return (
    <Card
      title={
        <Link to={paths.monitor(id)} className="wrap-anywhere hover:underline">
          {name}
        </Link>
      }
      gap="gap-3"
    >
      <p className="tnum text-muted">{formatClauses(facts, i18n.language)}</p>
      {alternatives === undefined && <p>{t("noise.notComputed")}</p>}
      {alternatives?.length === 0 && <p>{t("noise.noChange")}</p>}
      {alternatives
        // The effects of the others were computed for the settings before the change.
        ?.filter(({ change }) => made === undefined || made === change.field)
        .map((alternative) => (
          <Alternative
            key={alternative.change.field}
            monitor={monitor}
            alternative={alternative}
            isMade={made !== undefined}
            onMade={setMade}
          />
        ))}
      {secondOpinions.length > 0 && (
        <p className="text-[13px] text-muted">
          {t("noise.opinions", { locations: formatList(secondOpinions, i18n.language) })}
        </p>
      )}
    </Card>
  );
}

/** Changes one field of a monitor, and offers to undo that. */
function useChange({ id, name }: NoisyMonitor, change: NoiseChange, onMade: AlternativeProps["onMade"]) {
  const { t } = useTranslation();
  const offerUndo = useUndo();
  const [read, { isFetching }] = noiseApi.useLazyMonitorToChangeQuery();
  const [save, { isLoading }] = noiseApi.useMakeNoiseChangeMutation();
  const { field } = change;
  async function set(input: Partial<Changed>, isMade: boolean) {
    const answer = await save({ id, input });
    if (answer.error === undefined) onMade(isMade ? field : undefined);
    return answer;
  }
  async function make() {
    const { data: before, error: unread } = await read(id);
    const { error } = before === undefined ? { error: unread } : await set(inputOf(change, before), true);
    if (before === undefined || error !== undefined)
      return void toast("error", fieldErrorsOf(error)[0]?.message ?? errorText(error, "updateMonitor"));
    offerUndo(t("noise.made", { name }), () => set({ [field]: before[field] }, false), "updateMonitor");
  }
  return { make, isMaking: isFetching || isLoading };
}

function inputOf(change: NoiseChange, { dependsOn }: Changed): Partial<Changed> {
  if (change.field !== "dependsOn") return { [change.field]: change.value };
  const { type, id } = change.target;
  return { dependsOn: [...dependsOn, { type, id }] };
}

type AlternativeProps = {
  monitor: NoisyMonitor;
  alternative: NoiseAlternative;
  isMade: boolean;
  /** Also called with `undefined`, after an undo. */
  onMade: (field: NoiseChange["field"] | undefined) => void;
};

function Alternative({ monitor, alternative, isMade, onMade }: AlternativeProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const textOf = useEffectText();
  const { change } = alternative;
  const { make, isMaking } = useChange(monitor, change, onMade);
  const label = useFieldName("monitor")(change.field);
  const value = change.field === "dependsOn" ? change.target.name : change.value;
  const reason = mayChange ? lockOf(monitor.managed, change.field, t) : t("noise.readOnly");
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-line pt-3">
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-medium break-words">{t("noise.change", { field: label, value })}</p>
        <p className="tnum">{textOf({ before: beforeOf(monitor), ...alternative })}</p>
        {reason !== undefined && <p className="text-[13px] text-muted">{reason}</p>}
      </div>
      {isMade ? (
        <Badge tone="up" icon={CheckIcon}>
          {t("noise.isMade")}
        </Badge>
      ) : (
        <Button
          disabled={reason !== undefined}
          title={reason}
          onClick={() => void make()}
          saving={isMaking}
          savingLabel={t("noise.making")}
        >
          {t("noise.make")}
        </Button>
      )}
    </div>
  );
}

function Nights({ nights }: Pick<NoiseAnswer, "nights">) {
  const { t } = useTranslation();
  return (
    <Card title={t("noise.nights")} gap="gap-3">
      <p className="text-[13px] text-muted">{t("noise.nightsHint")}</p>
      {nights.length === 0 ? (
        <p>{t("noise.noNights")}</p>
      ) : (
        <ul className="divide-y divide-line">
          {nights.map(({ userId, name = t("noise.deleted"), nights: count, notifications }) => (
            <li key={userId} className="flex flex-wrap justify-between gap-x-4 py-2">
              <span className="min-w-0 font-medium break-words">{name}</span>
              <span className="tnum">
                {t("noise.nightsOf", { count })}{" "}
                <span className="text-muted">({t("noise.notificationsOf", { count: notifications })})</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
