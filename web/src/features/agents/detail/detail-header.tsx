import type { Agent } from "@sonde/proto/http/agents/agents";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { useSession } from "../../../app/hooks.ts";
import { useNotice, BackLink } from "../../../app/screen.tsx";
import { paths } from "../../../app/paths.ts";
import { DeleteAgentDialog } from "../agent-actions.tsx";
import { formatSpan } from "../../../lib/format.ts";
import { AgentBadge, MaintenanceBadge } from "../../../ui/badge.tsx";
import { Alert } from "../../../ui/alert.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { EditIcon, TrashIcon } from "../../../ui/icons.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { Time } from "../../../ui/time.tsx";

/** A skew of the clock from which on it is shown, in seconds. */
const notableSkew = 2;

/** Who it is, how it is, and what can be done with it. */
export function DetailHeader({ agent }: { agent: Agent }) {
  const { t, i18n } = useTranslation();
  const { mayChange } = useSession();
  const navigate = useNavigate();
  const notice = useNotice();
  const [asking, setAsking] = useState(false);
  const { id, name, hostname, os, status, lastSeen, skew = 0, latest } = agent;
  return (
    <div>
      <BackLink to={paths.agents} label={t("agent.back")} />
      <PageHeader
        title={name}
        badge={
          <>
            <AgentBadge status={status} />
            <MaintenanceBadge when={agent.inMaintenance} />
          </>
        }
        description={
          <span className="flex flex-wrap items-center gap-x-3">
            <span>{[hostname, os].filter((each) => each !== "").join(" · ")}</span>
            <span className="text-[13px] text-faint">
              {t("agent.lastSeen")}: {lastSeen === null ? t("agent.never") : <Time at={lastSeen} relative />}
            </span>
          </span>
        }
        actions={
          mayChange && (
            <div className="grid w-full grid-cols-2 gap-2 sm:flex sm:w-auto">
              <ButtonLink to={paths.agentEdit(id)}>
                <EditIcon />
                {t("common.edit")}
              </ButtonLink>
              <Button onClick={() => setAsking(true)}>
                <TrashIcon />
                {t("common.delete")}
              </Button>
            </div>
          )
        }
      />
      <div className="flex flex-col gap-3">
        {notice !== undefined && <Alert kind="success">{notice}</Alert>}
        {agent.duplicateKey === true && <DuplicateKeyAlert id={id} />}
        {agent.incidentsHeldBack === true && <Alert kind="error">{t("agent.incidentsHeldBack")}</Alert>}
        {status === "offline" && <Alert kind="error">{t("agent.offlineNote")}</Alert>}
        {status === "connecting" && <Alert kind="info">{t("agent.connectingNote")}</Alert>}
        {Math.abs(skew) >= notableSkew && (
          <Alert kind="info">{t("agent.skewNote", { span: formatSpan(Math.abs(skew) * 1000, i18n.language) })}</Alert>
        )}
        {latest?.scope === "container" && <Alert kind="info">{t("agent.containerNote")}</Alert>}
      </div>
      <DeleteAgentDialog
        target={asking ? agent : null}
        onClose={() => setAsking(false)}
        onDeleted={(message) => void navigate(paths.agents, { state: { notice: message } })}
      />
    </div>
  );
}

/** Two machines report as one agent: what that means, and what ends it. */
export function DuplicateKeyAlert({ id }: { id: number }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  return (
    <Alert kind="error">
      {t("agent.duplicateKey")}{" "}
      {mayChange && (
        <Link to={paths.agentEdit(id)} className="font-medium whitespace-nowrap underline">
          {t("agent.duplicateKeyLink")}
        </Link>
      )}
    </Alert>
  );
}
