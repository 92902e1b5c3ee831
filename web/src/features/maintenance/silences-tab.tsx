import type { TargetSilence } from "@sonde/proto/http/status/silences";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { errorText } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { Loaded } from "../../app/screen.tsx";
import { type UndoCall, useUndo } from "../../app/undo.ts";
import {
  type SilenceTarget,
  useEndSilenceMutation,
  useSilenceMutation,
  useSilencesQuery,
  useUpdateSilenceMutation,
} from "../../entities/silences/api.ts";
import { maxSilenceMs, minQuietMs } from "../../entities/silences/ends.ts";
import { requestSilence } from "../../entities/silences/request.ts";
import { TargetIcon } from "../../entities/targets/target-line.tsx";
import { refreshed } from "../../lists/overview.tsx";
import { toast } from "../../ui/alert.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { PlusIcon, SilentIcon } from "../../ui/icons.tsx";
import { Menu } from "../../ui/menu/menu.tsx";
import { EmptyState, Skeleton } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { Until } from "../../ui/until.tsx";

const longerMs = { h1: 3_600_000, h4: 4 * 3_600_000, d1: 86_400_000 } as const;

export default function SilencesTab() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const hotkey = useHotkeys();
  const query = useSilencesQuery(undefined, refreshed);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-64 text-muted">{t("quiet.listText")}</p>
        {mayChange && (
          <Button variant="primary" onClick={() => requestSilence()} {...hotkey("c")}>
            <PlusIcon />
            {t("quiet.add")}
          </Button>
        )}
      </div>
      <Card flush>
        <Loaded query={query} header={null} placeholder={<Skeleton className="m-4 h-64" />}>
          {({ silences }) =>
            silences.length === 0 ? (
              <EmptyState icon={<SilentIcon />} title={t("quiet.none")}>
                {t("quiet.noneText")}
              </EmptyState>
            ) : (
              <ul className="divide-y divide-line">
                {silences.map((silence) => (
                  <Row key={silence.id} silence={silence} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
    </div>
  );
}

function Row({ silence: { id, target, until, note, createdBy } }: { silence: TargetSilence }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const offerUndo = useUndo();
  const [begin] = useSilenceMutation();
  const [move, { isLoading: isMoving }] = useUpdateSilenceMutation();
  const [end, { isLoading: isEnding }] = useEndSilenceMutation();

  async function change(call: UndoCall, done: string, undo: UndoCall, fallback: "silence" | "endSilence") {
    const { error } = await call();
    if (error !== undefined) return toast("error", errorText(error, fallback));
    // The server accepts no end that is nearer.
    const isNear = Date.parse(until) - Date.now() < minQuietMs;
    offerUndo(done, isNear ? [] : undo, "silence");
  }
  function endNow() {
    const { type, id: targetId = 0, name } = target;
    const restored: SilenceTarget = type === "tag" ? { type, name } : { type, id: targetId };
    const undo = () => begin({ target: restored, until, note });
    return change(() => end(id), t("quiet.silenceEnded"), undo, "endSilence");
  }
  function extend(byMs: number) {
    const untilMs = Math.min(Math.max(Date.parse(until), Date.now()) + byMs, Date.now() + maxSilenceMs);
    const moveTo = (to: string) => () => move({ id, input: { until: to } });
    const done = t("quiet.extended", { name: target.name });
    return change(moveTo(new Date(untilMs).toISOString()), done, moveTo(until), "silence");
  }

  return (
    <li data-row className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 md:px-5">
      <SilentIcon className="size-4 text-maintenance-ink" />
      <div className="min-w-0 flex-1 basis-48">
        <Link
          to={
            target.type === "tag"
              ? `${paths.monitors}?tag=${encodeURIComponent(target.name)}`
              : paths[target.type](target.id ?? 0)
          }
          className="inline-flex min-h-6 items-center gap-1.5 font-medium hover:underline"
        >
          {target.type === "tag" ? (
            <Badge>{t("quiet.tag")}</Badge>
          ) : (
            <TargetIcon type={target.type} className="size-4 text-muted" />
          )}{" "}
          {target.name}
        </Link>
        <p className="text-[13px] text-muted">
          {t("quiet.silencedUntil")} <Until at={until} /> (<Time at={until} relative />)
          {createdBy !== "" && <> · {t("quiet.snoozedBy", { name: createdBy })}</>}
        </p>
        {note !== undefined && <p className="text-[13px] break-words">{note}</p>}
      </div>
      {mayChange && (
        <span className="inline-flex items-center gap-1">
          <Menu
            size="sm"
            saving={isMoving}
            aria-label={`${t("quiet.extend")}: ${target.name}`}
            entries={Object.entries(longerMs).map(([name, ms]) => ({
              kind: "action",
              label: t(`quiet.longer.${name as keyof typeof longerMs}`),
              onSelect: () => void extend(ms),
            }))}
          >
            {t("quiet.extend")}
          </Menu>
          <Button
            size="sm"
            saving={isEnding}
            aria-label={`${t("quiet.endSilence")}: ${target.name}`}
            onClick={() => void endNow()}
          >
            {t("quiet.endSilence")}
          </Button>
        </span>
      )}
    </li>
  );
}
