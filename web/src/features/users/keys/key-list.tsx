import { ownAddress } from "../../../lib/base-path.ts";
import type { ApiKey } from "@sonde/proto/http/keys";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { ActionDialog } from "../../../lists/delete-dialog.tsx";
import { formatLocalDate } from "../../../lib/format.ts";
import { useNow } from "../../../lib/hooks.ts";
import { toast } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { OnceDialog } from "../../../ui/once-dialog.tsx";
import { Time } from "../../../ui/time.tsx";
import { useDeleteKeyMutation, useRotateKeyMutation } from "./api.ts";
import { KeyDialog } from "./key-form.tsx";

/** How long the old secret remains valid after a rotation. */
const overlapMinutes = 60;

type KeyListProps = { keys: readonly ApiKey[]; accountId?: number; isAdding: boolean; onAdded: () => void };

export function KeyList({ keys, accountId, isAdding, onAdded }: KeyListProps) {
  const { t } = useTranslation();
  const [secret, setSecret] = useState<string | null>(null);
  const [toRotate, setToRotate] = useState<ApiKey | null>(null);
  const [toRevoke, setToRevoke] = useState<ApiKey | null>(null);
  const [rotate] = useRotateKeyMutation();
  const [revoke] = useDeleteKeyMutation();
  return (
    <>
      <ul className="divide-y divide-line">
        {keys.map((key) => (
          <li key={key.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
            <KeyFacts apiKey={key} />
            <span className="flex gap-2">
              <Button size="sm" onClick={() => setToRotate(key)}>
                {t("keys.rotate")}
              </Button>
              <Button size="sm" onClick={() => setToRevoke(key)}>
                {t("keys.revoke")}
              </Button>
            </span>
          </li>
        ))}
      </ul>
      {isAdding && (
        <KeyDialog
          accountId={accountId}
          onClose={onAdded}
          onCreated={(made) => {
            onAdded();
            setSecret(made);
          }}
        />
      )}
      {secret !== null && (
        <OnceDialog
          title={t("keys.secretTitle")}
          note={t("keys.once")}
          texts={[
            { about: t("keys.secret"), text: secret },
            {
              about: t("keys.example"),
              text: `curl -H "Authorization: Bearer ${secret}" ${ownAddress}/api/monitors`,
            },
          ]}
          onClose={() => setSecret(null)}
        />
      )}
      <ActionDialog
        target={toRotate}
        onClose={() => setToRotate(null)}
        onDone={() => {}}
        title={t("keys.rotateTitle")}
        text={t("keys.rotateText", { name: toRotate?.name ?? "" })}
        action={t("keys.rotate")}
        savingLabel={t("keys.rotating")}
        act={async ({ id }) => {
          const answer = await rotate({ id, overlapMinutes });
          if (answer.data !== undefined) setSecret(answer.data.secret);
          return answer;
        }}
        fallback="rotateKey"
      />
      <ActionDialog
        target={toRevoke}
        onClose={() => setToRevoke(null)}
        onDone={(message) => toast("success", message ?? t("keys.revoked"))}
        title={t("keys.revokeTitle")}
        text={t("keys.revokeText", { name: toRevoke?.name ?? "" })}
        action={t("keys.revoke")}
        savingLabel={t("keys.revoking")}
        act={({ id }) => revoke(id)}
        fallback="deleteKey"
      />
    </>
  );
}

/** Later expiries are shown as a date, which says more than `in 366 days`. */
const maxRelativeMs = 60 * 86_400_000;

function KeyFacts({ apiKey }: { apiKey: ApiKey }) {
  const { t, i18n } = useTranslation();
  const { name, prefix, scopes, allowFrom, expiresAt, lastUsedAt, lastUsedFrom } = apiKey;
  const nowMs = useNow();
  const leftMs = expiresAt === undefined ? 0 : Date.parse(expiresAt) - nowMs;
  const isExpired = expiresAt !== undefined && leftMs <= 0;
  return (
    <div className="min-w-0">
      <p className="font-medium break-words">
        {name} <code className="font-mono text-[13px] font-normal text-muted">{prefix}…</code>
      </p>
      <p className="text-[13px] text-muted">
        {scopes.join(", ")}
        {allowFrom.length > 0 && ` · ${t("keys.from", { networks: allowFrom.join(", ") })}`}
      </p>
      <p className="text-[13px] text-muted">
        {expiresAt === undefined ? (
          t("keys.neverExpires")
        ) : (
          <span className={isExpired ? "text-down-ink" : undefined}>
            {t(isExpired ? "keys.expired" : "keys.expiresAt")}{" "}
            {leftMs > maxRelativeMs ? formatLocalDate(expiresAt, i18n.language) : <Time at={expiresAt} relative />}
          </span>
        )}
        {" · "}
        {lastUsedAt === undefined ? (
          t("keys.neverUsed")
        ) : (
          <>
            {t("keys.lastUsed")} <Time at={lastUsedAt} relative /> {lastUsedFrom}
          </>
        )}
      </p>
    </div>
  );
}

export const keysError = (error: unknown) => errorText(error, "fetchKeys");
