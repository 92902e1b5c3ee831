import type { pingKeyAnswer, pingKeyInput } from "@sonde/proto/http/monitors/pings";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { z } from "zod";
import { type AnswerOf, api } from "../../app/api.ts";
import { errorText } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { Loaded } from "../../app/screen.tsx";
import { toast } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { PlusIcon, RefreshIcon } from "../../ui/icons.tsx";
import { Switch } from "../../ui/inputs.tsx";
import { Skeleton } from "../../ui/states.tsx";

type PingKey = AnswerOf<typeof pingKeyAnswer>;

const { usePingKeySettingQuery, useSetPingKeyMutation } = api.injectEndpoints({
  endpoints: (build) => ({
    pingKeySetting: build.query<PingKey, void>({ query: () => "/ping-key", providesTags: ["PingKey"] }),
    setPingKey: build.mutation<PingKey, z.input<typeof pingKeyInput>>({
      query: (body) => ({ url: "/ping-key", method: "PUT", body }),
      invalidatesTags: ["PingKey"],
    }),
  }),
});

export function PingKeyCard() {
  const { t } = useTranslation();
  const query = usePingKeySettingQuery();
  return (
    <Card title={t("heartbeat.key.title")} gap="gap-4">
      <p className="text-muted">{t("heartbeat.key.text")}</p>
      <Loaded query={query} fallback="fetchData" placeholder={<Skeleton className="h-24 w-full" />} header={null}>
        {(answer) => <Key {...answer} />}
      </Loaded>
    </Card>
  );
}

function Key({ pingKey, creates }: PingKey) {
  const { t } = useTranslation();
  const { isAdmin } = useSession();
  const [set, { isLoading }] = useSetPingKeyMutation();
  const [isAsking, setAsking] = useState(false);
  async function change(input: { creates: boolean; renew?: boolean }) {
    const { error } = await set(input);
    return error === undefined ? null : errorText(error, "saveSettings");
  }
  async function changeNow(input: { creates: boolean; renew?: boolean }) {
    const failure = await change(input);
    if (failure !== null) toast("error", failure);
  }
  if (pingKey === null) {
    return (
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p>{t("heartbeat.key.none")}</p>
        {isAdmin && (
          <Button
            saving={isLoading}
            savingLabel={t("common.saving")}
            onClick={() => void changeNow({ creates, renew: true })}
          >
            <PlusIcon />
            {t("heartbeat.key.make")}
          </Button>
        )}
      </div>
    );
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
        <code className="min-w-48 flex-1 font-mono text-[13px] break-all">{pingKey}</code>
        <CopyButton text={pingKey} label={t("heartbeat.key.copy")} />
        {isAdmin && (
          <Button size="sm" variant="ghost" onClick={() => setAsking(true)}>
            <RefreshIcon />
            {t("heartbeat.key.renew")}
          </Button>
        )}
      </div>
      <Switch
        label={t("heartbeat.key.creates")}
        hint={t("heartbeat.key.createsHint")}
        checked={creates}
        disabled={isLoading || !isAdmin}
        onChange={({ target }) => void changeNow({ creates: target.checked })}
      />
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t("heartbeat.key.renewTitle")}
        description={t("heartbeat.key.renewText")}
        confirmLabel={t("heartbeat.key.renew")}
        savingLabel={t("common.saving")}
        onConfirm={async () => {
          const failure = await change({ creates, renew: true });
          if (failure !== null) throw new Error(failure);
        }}
      />
    </>
  );
}
