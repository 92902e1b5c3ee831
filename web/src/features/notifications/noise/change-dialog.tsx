import type { monitorAnswer } from "@sonde/proto/http/monitors/monitors";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import type { NoiseChange } from "@sonde/proto/http/notifications/noise";
import { useTranslation } from "react-i18next";
import { type AnswerOf, api } from "../../../app/api.ts";
import { errorText, fieldErrorsOf } from "../../../app/errors.ts";
import { onSuccess } from "../../../app/mutations.ts";
import { Loaded } from "../../../app/screen.tsx";
import { sharedForm } from "../../../entities/kinds/shared.ts";
import { useText } from "../../../entities/kinds/kinds.ts";
import { useTargetQuery } from "../../../entities/targets/api.ts";
import { Alert, toast } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ArrowRightIcon } from "../../../ui/icons.tsx";
import { Skeleton } from "../../../ui/states.tsx";

type Changed = Pick<AnswerOf<typeof monitorAnswer>["monitor"], "retries" | "recoverAfter" | "dependsOn">;

const changeApi = api.injectEndpoints({
  endpoints: (build) => ({
    monitorToChange: build.query<Changed, number>({
      query: (id) => `/monitors/${id}`,
      transformResponse: ({ monitor }: AnswerOf<typeof monitorAnswer>) => monitor,
      keepUnusedDataFor: 0,
    }),
    makeNoiseChange: build.mutation<AnswerOf<typeof monitorAnswer>, { id: number; input: Partial<Changed> }>({
      query: ({ id, input }) => ({ url: `/monitors/${id}`, method: "PUT", body: input }),
      invalidatesTags: (answer, error, { id }) => [
        ...onSuccess("MonitorList", "Dashboard")(answer, error),
        ...(error === undefined ? [{ type: "Monitor", id } as const] : []),
      ],
    }),
  }),
});

/** Returns a function that describes a change: `Retries before down: 3`. */
export function useChangeText(): (change: NoiseChange) => string {
  const labelOf = useFieldLabel();
  return (change) => `${labelOf(change.field)}: ${change.field === "dependsOn" ? change.target.name : change.value}`;
}

function useFieldLabel(): (field: NoiseChange["field"]) => string {
  const { t } = useTranslation();
  const text = useText();
  return (field) => (field === "dependsOn" ? t("alerting.dependsOn") : text(sharedForm[field].label));
}

type ChangeDialogProps = { id: number; name: string; change: NoiseChange; onMade: () => void; onClose: () => void };

/** Asks before it changes one field of a monitor. */
export function ChangeDialog({ id, name, change, onMade, onClose }: ChangeDialogProps) {
  const { t } = useTranslation();
  const query = changeApi.useMonitorToChangeQuery(id, { refetchOnMountOrArgChange: true });
  const [make, { error, isLoading }] = changeApi.useMakeNoiseChangeMutation();
  const labelOf = useFieldLabel();
  const { data: before } = query;
  async function confirm() {
    if (before === undefined) return;
    const answer = await make({ id, input: inputOf(change, before) });
    if (answer.error !== undefined) return;
    toast("success", t("noise.made", { name }));
    onMade();
    onClose();
  }
  const footer = (
    <>
      <Button onClick={onClose}>{t("common.cancel")}</Button>
      <Button
        variant="primary"
        disabled={before === undefined}
        saving={isLoading}
        savingLabel={t("noise.making")}
        onClick={() => void confirm()}
      >
        {t("noise.make")}
      </Button>
    </>
  );
  return (
    <Dialog onClose={onClose} title={t("noise.makeTitle", { name })} footer={footer}>
      {error !== undefined && (
        <Alert kind="error">{fieldErrorsOf(error)[0]?.message ?? errorText(error, "updateMonitor")}</Alert>
      )}
      <Loaded query={query} header={null} placeholder={<Skeleton className="h-12 w-full" />}>
        {(monitor) => (
          <dl>
            <dt className="text-[13px] text-muted">{labelOf(change.field)}</dt>
            <dd className="tnum flex flex-wrap items-center gap-2 break-words">
              {change.field === "dependsOn" ? <Targets targets={monitor.dependsOn} /> : monitor[change.field]}
              <ArrowRightIcon className="size-4 text-faint" />
              {change.field === "dependsOn" ? (
                <Targets targets={[...monitor.dependsOn, change.target]} />
              ) : (
                <strong>{change.value}</strong>
              )}
            </dd>
          </dl>
        )}
      </Loaded>
    </Dialog>
  );
}

function inputOf(change: NoiseChange, { dependsOn }: Changed): Partial<Changed> {
  if (change.field !== "dependsOn") return { [change.field]: change.value };
  const { type, id } = change.target;
  return { dependsOn: [...dependsOn, { type, id }] };
}

function Targets({ targets }: { targets: readonly TargetRef[] }) {
  const { t } = useTranslation();
  if (targets.length === 0) return t("alerting.dependsOnNothing");
  return targets.map((target) => <TargetName key={`${target.type}:${target.id}`} {...target} />);
}

function TargetName({ type, id }: TargetRef) {
  const { data } = useTargetQuery({ type, id });
  return <span className="font-medium">{data?.name ?? `#${id}`}</span>;
}
