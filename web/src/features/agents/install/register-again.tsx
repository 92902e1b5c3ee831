import type { Agent } from "@sonde/proto/http/agents/agents";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useConfigQuery } from "../../../app/config.ts";
import { errorText } from "../../../app/errors.ts";
import { useSession } from "../../../app/hooks.ts";
import { type TokenAnswer, useAgentQuery, useCreateTokenMutation } from "../api.ts";
import { ConnectionView } from "./connection.tsx";
import { InstallCard } from "./install-card.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { RefreshIcon } from "../../../ui/icons.tsx";

/** What was answered, and when the agent had been registered before: a later registration is the one waited for. */
type Issued = { answer: TokenAnswer; registeredBefore: string | undefined };

/** Makes a token that registers a known agent again: its name and history stay, its old key ends. */
export function RegisterAgain({ agent }: { agent: Agent }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { data: config } = useConfigQuery();
  const [makeToken] = useCreateTokenMutation();
  const [asking, setAsking] = useState(false);
  const [issued, setIssued] = useState<Issued | null>(null);
  if (!mayChange) return null;
  const { id, name, interval } = agent;
  const settings = {
    server: config?.publicUrl ?? location.origin,
    intervalSeconds: Math.max(1, Math.round(interval)),
  };
  return (
    <>
      <Card title={t("agentAgain.title")}>
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
          <p className="min-w-0 flex-1 basis-72 text-muted">{t("agentAgain.text")}</p>
          <Button onClick={() => setAsking(true)}>
            <RefreshIcon />
            {t(issued === null ? "agentAgain.start" : "agentGuide.makeAnother")}
          </Button>
        </div>
      </Card>
      {issued !== null && (
        <>
          <InstallCard
            key={issued.answer.token}
            title={t("agentAgain.install")}
            answer={issued.answer}
            settings={settings}
          />
          <Card title={t("agentAgain.state")}>
            <Reconnection id={id} before={issued.registeredBefore} />
          </Card>
        </>
      )}
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t("agentAgain.askTitle", { name })}
        description={t("agentAgain.askText")}
        confirmLabel={t("agentGuide.makeToken")}
        savingLabel={t("agentGuide.making")}
        onConfirm={async () => {
          const answer = await makeToken({ agentId: id });
          if (answer.error !== undefined) throw new Error(errorText(answer.error, "createToken"));
          setIssued({ answer: answer.data, registeredBefore: agent.registeredAt });
        }}
      />
    </>
  );
}

const askEveryMs = 3000;

/** Waits until the agent was registered with the token, and then for its first report since. */
function Reconnection({ id, before }: { id: number; before: string | undefined }) {
  // Live events move the agent too; asking is for where they do not come.
  const { data } = useAgentQuery(id, { pollingInterval: askEveryMs });
  const { registeredAt, lastSeen, name } = data?.agent ?? {};
  const isRegistered = registeredAt !== undefined && registeredAt !== before;
  const isHeard = isRegistered && lastSeen != null && Date.parse(lastSeen) > Date.parse(registeredAt);
  return (
    <ConnectionView
      registered={isRegistered ? name : undefined}
      connected={isHeard && name !== undefined ? { id, name } : undefined}
    />
  );
}
