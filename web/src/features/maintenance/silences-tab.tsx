import type { TargetSilence } from "@sonde/proto/http/status/silences";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { errorText } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { Loaded } from "../../app/screen.tsx";
import { useUndo } from "../../app/undo.ts";
import {
  type SilenceTarget,
  useEndSilenceMutation,
  useSilenceMutation,
  useSilencesQuery,
  useUpdateSilenceMutation,
} from "../../entities/silences/api.ts";
import { askSilence } from "../../entities/silences/request.ts";
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

const minMs = 6 * 60_000;
const maxMs = 7 * 86_400_000;
const longerMs = { h1: 3_600_000, h4: 4 * 3_600_000, d1: 86_400_000 } as const;

export default function SilencesTab() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const hotkey = useHotkeys();
  const query = useSilencesQuery(undefined, refreshed);
  const add = mayChange && (
    <Button variant="primary" onClick={() => askSilence()} {...hotkey("c")}>
      <PlusIcon />
      {t("quiet.add")}
    </Button>
  );
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-64 text-muted">{t("quiet.listText")}</p>
        {add}
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
  const isNear = () => Date.parse(until) - Date.now() < minMs;

  async function endNow() {
    const { error } = await end(id);
    if (error !== undefined) return toast("error", errorText(error, "endSilence"));
    const { type, id: targetId = 0, name } = target;
    const restored: SilenceTarget = type === "tag" ? { type, name } : { type, id: targetId };
    offerUndo(t("quiet.silenceEnded"), isNear() ? [] : () => begin({ target: restored, until, note }), "silence");
  }
  async function extend(byMs: number) {
    const untilMs = Math.min(Math.max(Date.parse(until), Date.now()) + byMs, Date.now() + maxMs);
    const { error } = await move({ id, input: { until: new Date(untilMs).toISOString() } });
    if (error !== undefined) return toast("error", errorText(error, "silence"));
    const back = () => move({ id, input: { until } });
    offerUndo(t("quiet.extended", { name: target.name }), isNear() ? [] : back, "silence");
  }

  return (
    <li data-row className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 md:px-5">
      <SilentIcon className="size-4 text-maintenance-ink" />
      <div className="min-w-0 flex-1 basis-48">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          {target.type === "tag" ? (
            <Link
              to={`${paths.monitors}?tag=${encodeURIComponent(target.name)}`}
              className="inline-flex min-h-6 items-center gap-1.5 hover:underline"
            >
              <Badge>{t("quiet.tag")}</Badge> {target.name}
            </Link>
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
