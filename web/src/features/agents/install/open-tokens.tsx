import type { OpenToken } from "@sonde/proto/http/agents/agents";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { useSession } from "../../../app/hooks.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { Time } from "../../../ui/time.tsx";
import { useOpenTokensQuery, useRevokeTokenMutation } from "./tokens-api.ts";

const askEveryMs = 15_000;

/** Tokens that may still register a machine with, and the way to end them. Nothing where there are none. */
export function OpenTokens() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  // No live event reports tokens: one that is used elsewhere disappears with the next answer.
  const { data, error } = useOpenTokensQuery(undefined, { pollingInterval: askEveryMs });
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
        onOpenChange={(open) => !open && setAsking(null)}
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
