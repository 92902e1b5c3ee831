import { ownAddress } from "../../../lib/base-path.ts";
import { agentName, type OpenToken } from "@sonde/proto/http/agents/agents";
import { translate } from "@sonde/proto/http/messages";
import { type ChangeEvent, useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useConfigQuery } from "../../../app/config.ts";
import { errorText, fieldErrorsOf } from "../../../app/errors.ts";
import { useSession } from "../../../app/hooks.ts";
import { currentLanguage } from "../../../app/i18n.ts";
import { paths } from "../../../app/paths.ts";
import { schemaErrors } from "../../../lib/form-errors.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { Field } from "../../../ui/field.tsx";
import { ChevronLeftIcon } from "../../../ui/icons.tsx";
import { Input } from "../../../ui/inputs.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { Time } from "../../../ui/time.tsx";
import {
  type TokenAnswer,
  useAgentsQuery,
  useCreateTokenMutation,
  useOpenTokensQuery,
  useRevokeTokenMutation,
} from "../api.ts";
import { Connection, InstallCard, type IssuedToken, newestAgents } from "./install-card.tsx";
import { type InstallWishes, isLoopbackServer, readInterval, readServer } from "./install.ts";

export default function CreateScreen() {
  const { t } = useTranslation();
  const { data: config, isError } = useConfigQuery();
  const { data: before } = useAgentsQuery(newestAgents);
  const [settings, setSettings] = useState<InstallWishes | null>(null);
  const [issued, setIssued] = useState<IssuedToken | null>(null);
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader
        title={t("agentGuide.title")}
        description={t("agentGuide.text")}
        actions={
          <ButtonLink to={paths.agents}>
            <ChevronLeftIcon />
            {t("agentGuide.back")}
          </ButtonLink>
        }
      />
      <div className="flex flex-col gap-4">
        {config === undefined && !isError ? (
          <Skeleton className="h-72 w-full" />
        ) : (
          <GuideSettings
            server={config?.publicUrl ?? ownAddress}
            isRepeated={issued !== null}
            onChange={setSettings}
            onToken={(answer, name) => {
              const newestId = Math.max(0, ...(before?.agents.map(({ id }) => id) ?? []));
              setIssued({ answer, name, newestId });
            }}
          />
        )}
        {issued !== null && settings !== null && (
          <InstallCard key={issued.answer.token} answer={issued.answer} settings={settings} />
        )}
        {issued !== null && (
          <Card title={t("agentGuide.state")}>
            <Connection key={issued.answer.token} issued={issued} />
          </Card>
        )}
        <OpenTokens />
      </div>
    </div>
  );
}

type GuideSettingsProps = {
  server: string;
  /** True if a token exists already. A new one replaces it. */
  isRepeated: boolean;
  /** Called on valid input, so that the commands follow it. */
  onChange: (settings: InstallWishes) => void;
  onToken: (answer: TokenAnswer, name: string | null) => void;
};

const proposedSeconds = "10";

function GuideSettings({ server: proposed, isRepeated, onChange, onToken }: GuideSettingsProps) {
  const { t } = useTranslation();
  const [server, setServer] = useState(proposed);
  const [interval, setInterval] = useState(proposedSeconds);
  const [name, setName] = useState("");
  const [nameError, setNameError] = useState<string>();
  const [makeToken, { isLoading, error }] = useCreateTokenMutation();
  const address = readServer(server);
  const intervalSeconds = readInterval(interval);

  const reportChange = useEffectEvent(onChange);
  useEffect(() => {
    if (address !== null && intervalSeconds !== null) reportChange({ server: address, intervalSeconds });
  }, [address, intervalSeconds]);

  async function make() {
    const wanted = name.trim();
    const [invalid] = wanted === "" ? [] : schemaErrors(agentName, wanted);
    setNameError(invalid === undefined ? undefined : translate(invalid.message, currentLanguage(), invalid.params));
    if (invalid !== undefined || address === null || intervalSeconds === null) return;
    const answer = await makeToken({ name: wanted || undefined });
    if (answer.data !== undefined) onToken(answer.data, wanted || null);
    else setNameError(fieldErrorsOf(answer.error).find(({ path }) => path === "name")?.message);
  }

  const typed = (value: string, set: (value: string) => void) => ({
    value,
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) => set(target.value),
    autoComplete: "off",
  });
  return (
    <Card title={t("agentGuide.settings")}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        {error !== undefined && <Alert kind="error">{errorText(error, "createToken")}</Alert>}
        <Field
          label={t("agentGuide.server")}
          hint={address !== null && isLoopbackServer(address) ? t("agentGuide.loopback") : t("agentGuide.serverHint")}
          error={address === null ? t("agentGuide.serverInvalid") : undefined}
          required
        >
          {(ids) => <Input {...ids} {...typed(server, setServer)} type="url" inputMode="url" mono spellCheck={false} />}
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={t("agentGuide.name")} hint={t("agentGuide.nameHint")} error={nameError}>
            {(ids) => <Input {...ids} {...typed(name, setName)} />}
          </Field>
          <Field
            label={t("agentGuide.interval")}
            hint={t("agentGuide.intervalHint")}
            error={intervalSeconds === null ? t("agentGuide.intervalInvalid") : undefined}
            required
          >
            {(ids) => <Input {...ids} {...typed(interval, setInterval)} inputMode="numeric" />}
          </Field>
        </div>
        <div className="flex justify-end">
          <Button
            type="submit"
            variant={isRepeated ? "secondary" : "primary"}
            saving={isLoading}
            savingLabel={t("agentGuide.making")}
          >
            {isRepeated ? t("agentGuide.makeAnother") : t("agentGuide.makeToken")}
          </Button>
        </div>
      </form>
    </Card>
  );
}

const pollMs = 15_000;

/** Unused tokens, with a button to revoke each. Renders nothing if there are none. */
function OpenTokens() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  // There are no live events for tokens. Polling removes those used elsewhere.
  const { data, error } = useOpenTokensQuery(undefined, { pollingInterval: pollMs });
  const [revoke] = useRevokeTokenMutation();
  const [asking, setAsking] = useState<OpenToken | null>(null);
  const nameOf = (token: OpenToken) => token.name ?? token.agent?.name ?? t("agentTokens.unnamed", { id: token.id });

  if (error !== undefined && data === undefined) {
    return <Alert kind="error">{errorText(error, "fetchTokens")}</Alert>;
  }
  if (data === undefined || data.tokens.length === 0) return null;
  const { tokens, total } = data;
  return (
    <Card title={t("agentTokens.title")} flush>
      <p className="px-4 pt-4 text-[13px] text-muted md:px-5">{t("agentTokens.text")}</p>
      <ul className="divide-y divide-line">
        {tokens.map((token) => (
          <li key={token.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3 md:px-5">
            <div className="min-w-0 flex-1 basis-64">
              <p className="font-medium break-words">{nameOf(token)}</p>
              <p className="text-[13px] text-muted">
                {token.agent !== undefined && <>{t("agentTokens.again", { name: token.agent.name })} · </>}
                {token.createdBy !== undefined && <>{t("agentTokens.by", { name: token.createdBy })} · </>}
                {t("agentGuide.expires")} <Time at={token.expiresAt} />
              </p>
            </div>
            {mayChange && (
              <Button
                size="sm"
                aria-label={`${t("agentTokens.revoke")}: ${nameOf(token)}`}
                onClick={() => setAsking(token)}
              >
                {t("agentTokens.revoke")}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {total > tokens.length && (
        <p className="px-4 pb-4 text-[13px] text-muted md:px-5">
          {t("agentTokens.more", { count: total - tokens.length })}
        </p>
      )}
      <ConfirmDialog
        open={asking !== null}
        onClose={() => setAsking(null)}
        title={t("agentTokens.askTitle")}
        description={t("agentTokens.askText", { name: asking === null ? "" : nameOf(asking) })}
        confirmLabel={t("agentTokens.revoke")}
        savingLabel={t("agentTokens.revoking")}
        onConfirm={async () => {
          if (asking === null) return;
          const answer = await revoke(asking.id);
          if (answer.error !== undefined) throw new Error(errorText(answer.error, "revokeToken"));
        }}
      />
    </Card>
  );
}
