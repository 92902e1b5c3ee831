import type { openSession } from "@sonde/proto/http/auth";
import { useTranslation } from "react-i18next";
import type { z } from "zod";
import { errorText, fieldErrorsOf } from "../../app/errors.ts";
import { useEndOtherSessionsMutation } from "../../entities/factors/api.ts";
import { usePasswordAgain } from "../../entities/factors/password-again.tsx";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { useEndSessionMutation, useSessionsQuery } from "./api.ts";

export function SessionsCard() {
  const { t } = useTranslation();
  const { data, error } = useSessionsQuery();
  const [end, ending] = useEndSessionMutation();
  const [endOthers, endingAll] = useEndOtherSessionsMutation();
  const { run, dialog } = usePasswordAgain();
  const failure = ending.error ?? endingAll.error ?? error;
  const needsPassword = fieldErrorsOf(endingAll.error).length > 0;
  return (
    <Card
      title={t("profile.sessions.title")}
      gap="gap-3"
      actions={
        data !== undefined &&
        data.sessions.length > 1 && (
          <Button
            size="sm"
            disabled={endingAll.isLoading}
            onClick={() => void run((password) => endOthers({ password }))}
          >
            {t("factors.endOthers")}
          </Button>
        )
      }
    >
      {failure !== undefined && !needsPassword && (
        <Alert kind="error">{errorText(failure, failure === error ? "fetchSessions" : "endSession")}</Alert>
      )}
      {dialog}
      {data === undefined && failure === undefined && <Skeleton className="h-15 w-full" />}
      <ul className="divide-y divide-line empty:hidden">
        {data?.sessions.map((session) => (
          <li key={session.id} className="flex min-h-11 items-center justify-between gap-4 py-2">
            <div className="min-w-0">
              <p className="font-medium" title={session.client}>
                {(session.client !== undefined || !session.isCurrent) && <ClientName client={session.client} />}{" "}
                {session.isCurrent && <span className="text-[13px] text-up-ink">{t("profile.sessions.current")}</span>}
              </p>
              <p className="text-[13px] text-muted">
                {session.address}
                {session.startedAt !== undefined && (
                  <>
                    {" · "}
                    {t("profile.sessions.startedAt")} <Time at={session.startedAt} relative />
                  </>
                )}
              </p>
            </div>
            {!session.isCurrent && (
              <Button size="sm" disabled={ending.isLoading} onClick={() => void end(session.id)}>
                {t("profile.sessions.end")}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <p className="text-[13px] text-faint">{t("profile.sessions.note")}</p>
    </Card>
  );
}

/** Order matters: Edge's user agent includes Chrome, and Chrome's includes Safari. */
const browsers = { Edg: "Edge", OPR: "Opera", Firefox: "Firefox", Chrome: "Chrome", Safari: "Safari" };
const systems = { Android: "Android", iPhone: "iOS", iPad: "iPadOS", Windows: "Windows", Mac: "macOS", Linux: "Linux" };

const named = (names: Record<string, string>, text: string) =>
  Object.entries(names).find(([word]) => text.includes(word))?.[1];

/** Reads browser and system from a user agent. */
export const clientOf = (client: string) => ({ browser: named(browsers, client), system: named(systems, client) });

function ClientName({ client }: Pick<z.output<typeof openSession>, "client">) {
  const { t } = useTranslation();
  if (client === undefined) return t("profile.sessions.unknownClient");
  const { browser, system } = clientOf(client);
  if (browser === undefined || system === undefined) return client.split(" ")[0];
  return t("profile.sessions.on", { browser, system });
}
