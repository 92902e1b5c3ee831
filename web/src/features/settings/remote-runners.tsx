import type { RemoteRunnerFacts } from "@sonde/proto/http/monitors/runners";
import type { messageAnswer } from "@sonde/proto/http/auth";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type AnswerOf, api } from "../../app/api.ts";
import { errorText } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { onSuccess } from "../../app/mutations.ts";
import { formatNumber } from "../../lib/format.ts";
import { ActionDialog } from "../../lists/delete-dialog.tsx";
import { toast } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Time } from "../../ui/time.tsx";

type OfLocation = { location: string; id: number };

const { useRevokeRunnerMutation, useRevokeRunnerTokensMutation } = api.injectEndpoints({
  endpoints: (build) => ({
    revokeRunner: build.mutation<AnswerOf<typeof messageAnswer>, OfLocation>({
      query: ({ location, id }) => ({ url: `/locations/${location}/runners/${id}`, method: "DELETE" }),
      invalidatesTags: onSuccess("Locations"),
    }),
    revokeRunnerTokens: build.mutation<AnswerOf<typeof messageAnswer>, string>({
      query: (location) => ({ url: `/locations/${location}/tokens`, method: "DELETE" }),
      invalidatesTags: onSuccess("Locations"),
    }),
  }),
});

/** Runners of one location that connect through the gateway. */
export function RemoteRunners({ location, runners }: { location: string; runners: readonly RemoteRunnerFacts[] }) {
  const { t } = useTranslation();
  const { isAdmin } = useSession();
  const [toRevoke, setToRevoke] = useState<RemoteRunnerFacts | null>(null);
  const [revoke] = useRevokeRunnerMutation();
  return (
    <>
      <ul aria-label={t("locations.runnersOf", { location })} className="flex flex-col gap-2 pb-2">
        {runners.map((runner) => (
          <li key={runner.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
            <span className="min-w-0">
              <span className="font-medium break-all">{runner.name}</span>
              <Facts runner={runner} />
            </span>
            {isAdmin && (
              <Button size="sm" onClick={() => setToRevoke(runner)}>
                {t("locations.revoke")}
                <span className="sr-only">: {runner.name}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      <ActionDialog
        target={toRevoke}
        onClose={() => setToRevoke(null)}
        onDone={(message) => toast("success", message ?? t("locations.revoked"))}
        title={t("locations.revokeTitle", { name: toRevoke?.name ?? "" })}
        text={t("locations.revokeText")}
        action={t("locations.revoke")}
        savingLabel={t("keys.revoking")}
        act={({ id }) => revoke({ location, id })}
        fallback="revokeRunner"
      />
    </>
  );
}

/** The number of unused tokens of a location. */
export function OpenTokens({ location, count }: { location: string; count: number }) {
  const { t } = useTranslation();
  const { isAdmin } = useSession();
  const [revoke, { isLoading }] = useRevokeRunnerTokensMutation();
  async function act() {
    const { data, error } = await revoke(location);
    if (data === undefined) toast("error", errorText(error, "revokeToken"));
    else toast("success", data.message ?? t("locations.revoked"));
  }
  return (
    <p className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 pb-2 text-[13px] text-muted">
      {t("locations.openTokens", { count })}
      {isAdmin && (
        <Button size="sm" onClick={() => void act()} saving={isLoading} savingLabel={t("keys.revoking")}>
          {t("locations.revoke")}
          <span className="sr-only">: {t("locations.openTokens", { count })}</span>
        </Button>
      )}
    </p>
  );
}

function Facts({ runner }: { runner: RemoteRunnerFacts }) {
  const { t, i18n } = useTranslation();
  const { version, lastSeenAt, connected, checksPerSecond, lagMs, clockOffsetMs } = runner;
  const number = (value: number) => formatNumber(value, i18n.language);
  const facts = [
    t("locations.version", { version }),
    checksPerSecond !== undefined && t("locations.checksPerSecond", { value: number(checksPerSecond) }),
    lagMs !== undefined && t("locations.lag", { value: number(lagMs) }),
    clockOffsetMs !== undefined && t("locations.clockOffset", { value: number(clockOffsetMs) }),
  ];
  return (
    <span className="block text-[13px] text-muted">
      {connected ? t("locations.connected") : t("locations.notConnected")} · {facts.filter(Boolean).join(" · ")} ·{" "}
      {t("locations.lastContact")} <Time at={lastSeenAt} relative />
    </span>
  );
}
