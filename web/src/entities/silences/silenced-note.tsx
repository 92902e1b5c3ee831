import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useIsAhead } from "../../lib/hooks.ts";
import { toast } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { SilentIcon } from "../../ui/icons.tsx";
import { Until } from "../../ui/until.tsx";
import { errorText } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { useEndSilenceMutation, useSilencesQuery } from "./api.ts";
import { QuietNote } from "./quiet-note.tsx";

type SilencedNoteProps = { target: TargetRef; until: string | undefined };

/** Shows the end of a silence, with a button to end it, or a link if a tag silences the target. */
export function SilencedNote({ target, until }: SilencedNoteProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const isSilent = useIsAhead(until);
  const { data } = useSilencesQuery(undefined, { skip: !isSilent, refetchOnMountOrArgChange: true });
  const [end, { isLoading }] = useEndSilenceMutation();
  if (until === undefined || !isSilent) return null;
  const own = data?.silences.filter(({ target: { type, id } }) => type === target.type && id === target.id) ?? [];
  // The last silence to end is the one that applies until then.
  const cause = data?.silences.find((silence) => silence.until === until);
  async function endAll() {
    for (const { id } of own) {
      const { error } = await end(id);
      if (error !== undefined) return toast("error", errorText(error, "endSilence"));
    }
    toast("info", t("quiet.silenceEnded"));
  }
  return (
    <QuietNote
      icon={<SilentIcon />}
      action={
        mayChange && own.length > 0 ? (
          <Button size="sm" saving={isLoading} onClick={() => void endAll()}>
            {t("quiet.endSilence")}
          </Button>
        ) : (
          <Link to={paths.silences} className="inline-flex min-h-8 items-center text-[13px] hover:underline">
            {t("quiet.showSilences")}
          </Link>
        )
      }
    >
      {t("quiet.silencedUntil")} <Until at={until} />
      {cause !== undefined && (
        <>
          {cause.target.type === "tag" && <> · {t("quiet.byTag", { name: cause.target.name })}</>}
          {cause.createdBy !== "" && <> · {t("quiet.snoozedBy", { name: cause.createdBy })}</>}
          {cause.note !== undefined && <> · {cause.note}</>}
        </>
      )}
    </QuietNote>
  );
}
