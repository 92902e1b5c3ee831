import type { ManagedBy, ManagedKind } from "@sonde/proto/http/config/managed";
import { type ReactNode, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { Alert, toast } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { FieldLocks } from "../../ui/field.tsx";
import { errorText } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { useReleaseObjectMutation } from "./api.ts";
import { lockOf, managedText } from "./managed-badge.tsx";

type ManagedFormProps = {
  managed: ManagedBy | undefined;
  kind: ManagedKind;
  /** Maps a form field to its name in the source. Must keep its identity between renders. */
  fieldOf?: (name: string) => string;
  children: ReactNode;
};

/** `http.url` becomes `url`. */
const lastPart = (name: string) => name.split(".").at(-1) ?? name;

export function ManagedForm({ managed, kind, fieldOf = lastPart, children }: ManagedFormProps) {
  const { t } = useTranslation();
  // Keeps the form mounted, so that releasing the object loses no input.
  const [released, setReleased] = useState<ManagedBy>();
  const owner = managed === released ? undefined : managed;
  const locks = useMemo(() => (name: string) => lockOf(owner, fieldOf(name), t), [owner, fieldOf, t]);
  return (
    <FieldLocks value={locks}>
      <div className="min-w-0">
        {owner !== undefined && <Note owner={owner} kind={kind} onReleased={() => setReleased(owner)} />}
        {children}
      </div>
    </FieldLocks>
  );
}

function Note({ owner, kind, onReleased }: { owner: ManagedBy; kind: ManagedKind; onReleased: () => void }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [asking, setAsking] = useState(false);
  const [release] = useReleaseObjectMutation();
  const { source, key } = owner;
  async function confirm() {
    const { data, error } = await release({ source, kind, key });
    if (error !== undefined) throw new Error(errorText(error, "release"));
    toast("success", data?.message ?? t("sources.released"));
    onReleased();
  }
  return (
    <Alert kind="info" className="mb-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="min-w-0 flex-1 basis-64 break-words">
          <span className="block font-medium text-ink">{managedText(owner, t)}</span>
          {t("sources.locked")}
          {mayChange && (
            <>
              {" "}
              <Link to={paths.sources} className="underline hover:text-ink">
                {t("sources.title")}
              </Link>
            </>
          )}
        </p>
        {mayChange && (
          <Button size="sm" onClick={() => setAsking(true)}>
            {t("sources.release")}
          </Button>
        )}
      </div>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t("sources.releaseTitle", { source })}
        description={t("sources.releaseText", { source })}
        confirmLabel={t("sources.release")}
        savingLabel={t("sources.releasing")}
        onConfirm={confirm}
      />
    </Alert>
  );
}
