import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useSession } from "../../../app/hooks.ts";
import { paths } from "../../../app/paths.ts";
import { useEndSilenceMutation, useSilencesQuery } from "../../../entities/silences/api.ts";
import { TargetIcon } from "../../../entities/targets/target-line.tsx";
import { errorText } from "../../../app/errors.ts";
import { toast } from "../../../ui/alert.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { SilentIcon } from "../../../ui/icons.tsx";
import { Until } from "../../../ui/until.tsx";
import { refreshed } from "../overview.tsx";

export function SilencesCard() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { data } = useSilencesQuery(undefined, refreshed);
  const [end, { isLoading, originalArgs }] = useEndSilenceMutation();
  if (data === undefined || data.silences.length === 0) return null;
  async function endNow(id: number) {
    const { error } = await end(id);
    if (error !== undefined) toast("error", errorText(error, "endSilence"));
    else toast("info", t("quiet.silenceEnded"));
  }
  return (
    <Card title={t("quiet.list")} flush>
      <p className="px-4 pt-3 text-muted md:px-5">{t("quiet.listText")}</p>
      <ul className="divide-y divide-line">
        {data.silences.map(({ id, target, until, note, createdBy }) => (
          <li key={id} data-row className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 md:px-5">
            <SilentIcon className="size-4 text-maintenance-ink" />
            <div className="min-w-0 flex-1 basis-48">
              <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
                {target.type === "tag" ? (
                  <>
                    <Badge>{t("quiet.tag")}</Badge>
                    {target.name}
                  </>
                ) : (
                  <Link
                    to={paths[target.type](target.id ?? 0)}
                    className="inline-flex min-h-6 items-center gap-1.5 hover:underline"
                  >
                    <TargetIcon type={target.type} className="size-4 text-muted" />
                    {target.name}
                  </Link>
                )}
              </p>
              <p className="text-[13px] text-muted">
                {t("quiet.silencedUntil")} <Until at={until} /> {t("quiet.snoozedBy", { name: createdBy })}
                {note !== undefined && <> · {note}</>}
              </p>
            </div>
            {mayChange && (
              <Button
                size="sm"
                saving={isLoading && originalArgs === id}
                aria-label={`${t("quiet.endSilence")}: ${target.name}`}
                onClick={() => void endNow(id)}
              >
                {t("quiet.endSilence")}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
